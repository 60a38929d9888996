package config

import (
	"fmt"
	"slices"

	"beanfield/conn/admin"
	"beanfield/conn/hall"
)

// HTTPConfig is the table [http]: health, metrics and the console.
type HTTPConfig struct {
	Listen []Address
	Permissions
	Tokens []string // a client must have one of them; empty: none is needed
	// Hosts and Origins are names of this server, and origins of pages that may use it; see
	// hall.NewGuard.
	Hosts, Origins []string
	Pprof          bool
	// ReadOnly keeps those who use the console from changing anything.
	ReadOnly bool
	TLS      TLS
}

// httpSettings are the keys of [http].
var httpSettings = slices.Concat([]setting[Config]{
	addresses("http.listen", "-http", "none of this", func(c *Config) *[]Address { return &c.HTTP.Listen }),
}, permissionSettings("http.", func(c *Config) *Permissions { return &c.HTTP.Permissions }), []setting[Config]{
	secrets("http.tokens", func(c *Config) *[]string { return &c.HTTP.Tokens }).live(),
	hosts("http.hosts", func(c *Config) *[]string { return &c.HTTP.Hosts }).live(),
	truth("http.pprof", func(c *Config) *bool { return &c.HTTP.Pprof }).live(),
	truth("http.read_only", func(c *Config) *bool { return &c.HTTP.ReadOnly }).live(),
	origins("http.origins", func(c *Config) *[]string { return &c.HTTP.Origins }).live(),
}, tlsSettings("http.", func(c *Config) *TLS { return &c.HTTP.TLS }))

// MetricsConfig is the table [metrics]: what /metrics shows.
type MetricsConfig struct {
	MaxTubes int
	Tubes    []string // patterns of the tubes that may have metrics of their own; empty: all
	Aliases  []string
	Instance string // of the aliases; "": the first address of the server
}

// maxShownTubes bounds metrics.max_tubes: each tube costs two kilobytes in each scrape.
const maxShownTubes = 100_000

// metricsSettings are the keys of [metrics].
var metricsSettings = []setting[Config]{
	number("metrics.max_tubes", "", "tubes", maxShownTubes, func(c *Config) *int { return &c.Metrics.MaxTubes }).live(),
	texts("metrics.tubes", "patterns", `a list of patterns, in which * stands for any characters; [] for all tubes`,
		func(c *Config) *[]string { return &c.Metrics.Tubes }).live(),
	row("metrics.aliases", "", "names", fmt.Sprintf("a list with %q, or []", admin.BeanstalkdExporter),
		func(c *Config) *[]string { return &c.Metrics.Aliases }, asAliases, showTexts).live(),
	text("metrics.instance", "", "host:port", `any text; "" for the first TCP address of the server`,
		func(c *Config) *string { return &c.Metrics.Instance }).live(),
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
func hosts(key string, field func(*Config) *[]string) setting[Config] {
	s := texts(key, "names", `a list of names without port, in which * stands for any characters, as "queue.example.org"; [] for none`, field)
	return checked(s, func(c *Config) error { _, err := hall.NewGuard(*field(c), nil); return err })
}

// origins is a list of the origins of pages that may use this server.
func origins(key string, field func(*Config) *[]string) setting[Config] {
	s := texts(key, "origins", `a list of origins, in which * stands for any characters, as "https://example.org" or "http://localhost:*"; `+
		`"null" for files; [] for none`, field)
	return checked(s, func(c *Config) error { _, err := hall.NewGuard(nil, *field(c)); return err })
}

// checked is the same setting, if its value passes a check.
func checked(s setting[Config], check func(*Config) error) setting[Config] {
	set := s.set
	s.set = func(c *Config, v any) error {
		if err := set(c, v); err != nil {
			return err
		}
		return check(c)
	}
	return s
}
