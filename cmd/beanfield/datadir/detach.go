package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"beanfield/storage/pebblestore"
)

// Detach makes the directory of a node that has been stopped that of a server by itself. cluster is
// the node's, or "" for whichever it is. If it is killed, it can be called again.
func Detach(dir, cluster string, logger *slog.Logger) (pebblestore.Counts, error) {
	if _, err := nodeOf(dir, cluster); err != nil {
		return pebblestore.Counts{}, err
	}
	return pebblestore.Leave(offline(dir, logger))
}

// manifest is what is needed of a data directory's.
type manifest struct {
	Cluster  string
	Creating bool
	Shards   int
}

// nodeOf is the manifest of a node that has been stopped. cluster is the node's, or "" for whichever it is.
func nodeOf(dir, cluster string) (m manifest, err error) {
	if err := complete(dir); err != nil {
		return m, err
	}
	if err := errors.Join(idle(dir), mine(dir)); err != nil {
		return m, err
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	switch {
	case m.Cluster == "":
		err = fmt.Errorf("%s belongs to no cluster: a server by itself opens it as it is", dir)
	case cluster != "" && m.Cluster != cluster:
		err = fmt.Errorf("%s belongs to the cluster %s, not to %s", dir, m.Cluster, cluster)
	}
	return m, err
}
