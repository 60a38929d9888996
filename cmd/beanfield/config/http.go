package config

import (
	"fmt"

	"beanfield/conn/admin"
)

// HTTPConfig is the table [http]: health, metrics and the console.
type HTTPConfig struct {
	Listen []Address
	Permissions
	Tokens []string // a client must have one of them; empty: none is needed
	// Hosts and Origins are names of this server, and origins of pages that may use it; see
	// httpfront.NewGuard.
	Hosts, Origins []string
	Pprof          bool
	// ReadOnly keeps those who use the console from changing anything.
	ReadOnly bool
	TLS      TLS
}

// MetricsConfig is the table [metrics]: what /metrics shows.
type MetricsConfig struct {
	MaxTubes int
	Tubes    []string // patterns of the tubes that may have metrics of their own; empty: all
	Aliases  []string
	Instance string // of the aliases; "": the first address of the server
}

func asAliases(v any) ([]string, error) {
	list, err := asTexts(v)
	for _, a := range list {
		if a != admin.BeanstalkdExporter {
			return nil, fmt.Errorf("unknown name %s", quote(a))
		}
	}
	return list, err
}
