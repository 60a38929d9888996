package config

import (
	"fmt"
	"slices"

	"beanfield/conn/admin"
	"beanfield/conn/httpfront"
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

// rows are the keys of [http].
func (h *HTTPConfig) rows() []setting {
	return slices.Concat([]setting{
		addresses("http.listen", &h.Listen, "none of this").by("-http"),
	}, h.Permissions.rows("http."), live(
		secrets("http.tokens", &h.Tokens),
		hosts("http.hosts", &h.Hosts),
		truth("http.pprof", &h.Pprof),
		truth("http.read_only", &h.ReadOnly),
		origins("http.origins", &h.Origins),
	), h.TLS.rows("http."))
}

// MetricsConfig is the table [metrics]: what /metrics shows.
type MetricsConfig struct {
	MaxTubes int
	Tubes    []string // patterns of the tubes that may have metrics of their own; empty: all
	Aliases  []string
	Instance string // of the aliases; "": the first address of the server
}

// maxShownTubes bounds metrics.max_tubes: each tube costs two kilobytes in each scrape.
const maxShownTubes = 100_000

// rows are the keys of [metrics].
func (m *MetricsConfig) rows() []setting {
	return live(
		number("metrics.max_tubes", &m.MaxTubes, "tubes", maxShownTubes),
		texts("metrics.tubes", &m.Tubes, "patterns",
			`a list of patterns, in which * stands for any characters; [] for all tubes`),
		row("metrics.aliases", &m.Aliases, "names", fmt.Sprintf("a list with %q, or []", admin.BeanstalkdExporter),
			asAliases, showTexts),
		text("metrics.instance", &m.Instance, "host:port", `any text; "" for the first TCP address of the server`),
	)
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

// hosts is a list of names that this server has for browsers.
func hosts(key string, field *[]string) setting {
	const allowed = `a list of names without port, in which * stands for any characters, ` +
		`as "queue.example.org"; [] for none`
	return guarded(key, field, "names", allowed, func(list []string) error {
		_, err := httpfront.NewGuard(list, nil)
		return err
	})
}

// origins is a list of the origins of pages that may use this server.
func origins(key string, field *[]string) setting {
	const allowed = `a list of origins, in which * stands for any characters, ` +
		`as "https://example.org" or "http://localhost:*"; "null" for files; [] for none`
	return guarded(key, field, "origins", allowed, func(list []string) error {
		_, err := httpfront.NewGuard(nil, list)
		return err
	})
}

// guarded is a list of texts that pass a check.
func guarded(key string, field *[]string, unit, allowed string, check func([]string) error) setting {
	return row(key, field, unit, allowed, func(v any) ([]string, error) {
		list, err := asTexts(v)
		if err == nil {
			err = check(list)
		}
		return list, err
	}, showTexts)
}
