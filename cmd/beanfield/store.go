package main

import (
	"fmt"

	"beanfield/storage"
)

// openStore is the one place that knows the backends.
func openStore(c *Config) (storage.Store, error) {
	switch c.Storage.Backend {
	case "memory":
		return storage.Memory(), nil
	}
	return nil, fmt.Errorf("storage backend %q passed the check but does not exist", c.Storage.Backend)
}
