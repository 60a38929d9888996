package main

import (
	"slices"

	"beanfield/conn/admin"
)

// HTTPConfig is the table [http]: health, metrics and the console.
type HTTPConfig struct {
	Listen []address
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
	{
		key: "http.listen", flag: "-http", unit: "addresses",
		allowed: `a list of addresses as in listen.address; [] for none of this`,
		set:     func(c *Config, v any) (err error) { c.HTTP.Listen, err = asAddresses(v); return err },
		show:    func(c *Config) string { return showAddresses(c.HTTP.Listen) },
		copy:    copies(func(c *Config) *[]address { return &c.HTTP.Listen }),
	},
}, permissionSettings("http.", func(c *Config) *Permissions { return &c.HTTP.Permissions }), []setting[Config]{
	secrets("http.tokens", func(c *Config) *[]string { return &c.HTTP.Tokens }).live(),
	hosts("http.hosts", func(c *Config) *[]string { return &c.HTTP.Hosts }).live(),
	truth("http.pprof", func(c *Config) *bool { return &c.HTTP.Pprof }).live(),
	truth("http.read_only", func(c *Config) *bool { return &c.HTTP.ReadOnly }).live(),
	origins("http.origins", func(c *Config) *[]string { return &c.HTTP.Origins }).live(),
}, tlsSettings("http.", func(c *Config) *TLS { return &c.HTTP.TLS }))

// applyHTTP lets -http replace all addresses of the HTTP side.
func (c *Config) applyHTTP(f flags) Mistakes {
	if f.http == nil {
		return nil
	}
	list, err := parseAddresses(*f.http)
	if err != nil {
		return Mistakes{{Key: "-http", Value: *f.http, Problem: err.Error(), Code: exitListen}}
	}
	c.HTTP.Listen, c.from["http.listen"] = list, origin{flag: "-http"}
	return nil
}

// newAdmin makes the front end for administrators, or none if it has no address.
func (f *fronts) newAdmin(c *Config) (*admin.Server, error) {
	if len(c.HTTP.Listen) == 0 {
		return nil, nil
	}
	return admin.NewServer(f.acceptor, f.adminOptions(c))
}

func (f *fronts) adminOptions(c *Config) admin.Options {
	return admin.Options{
		Options:  f.httpOptions(c, c.HTTP.Tokens, c.HTTP.Hosts, c.HTTP.Origins),
		Problems: f.health.problems,
		Profiles: c.HTTP.Pprof,
	}
}
