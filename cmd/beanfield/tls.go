package main

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"syscall"

	"beanfield/conn/secure"
)

// TLS is the settings of TLS for an address, or for a table with addresses.
type TLS struct {
	Cert, Key, ClientCA string // files; without Cert and Key there is no TLS
	ClientAuth          string // "": required, if there is a ClientCA
	MinTLS              string // "": 1.2

	certs *secure.Certificates // what the files hold; nil without TLS
	read  *secure.Certificates // what a reload has read, to take the place of what certs has
}

// The words of client_auth and min_tls.
const (
	authRequired = "required"
	authOptional = "optional"
)

var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// tlsSettings are the keys of TLS that [[listen]], [queue] and [http] all have.
func tlsSettings[T any](prefix string, of func(*T) *TLS) []setting[T] {
	const file = `a PEM file that the server's user may read`
	rows := []setting[T]{
		text(prefix+"cert", "", "file", file+`; "" for no TLS`, func(c *T) *string { return &of(c).Cert }),
		text(prefix+"key", "", "file", file+`; "" for no TLS`, func(c *T) *string { return &of(c).Key }),
		text(prefix+"client_ca", "", "file", file+`; "" to ask no client for a certificate`, func(c *T) *string { return &of(c).ClientCA }),
		oneOf(prefix+"client_auth", "", []string{"", authRequired, authOptional}, func(c *T) *string { return &of(c).ClientAuth }),
		oneOf(prefix+"min_tls", "", []string{"", "1.2", "1.3"}, func(c *T) *string { return &of(c).MinTLS }),
	}
	for i := range rows { // a listener with TLS keeps it, and one without gets none
		rows[i].reloads = func(now, next *T) bool { return of(now).asked() == of(next).asked() }
	}
	return rows
}

// asked says whether any file is named, which asks for TLS.
func (t *TLS) asked() bool { return t.Cert != "" || t.Key != "" || t.ClientCA != "" }

// load reads the files, if any are named. If they cannot be used, it returns the key that is
// wrong, and why.
func (t *TLS) load() (key, value, problem string) {
	switch {
	case t.MinTLS != "" && !t.asked():
		return "min_tls", t.MinTLS, "there is no TLS here without cert and key"
	case t.ClientAuth != "" && t.ClientCA == "":
		return "client_auth", t.ClientAuth, "clients are asked for no certificate without client_ca"
	case !t.asked():
		return "", "", ""
	case t.Cert == "":
		return "cert", t.Cert, "missing: TLS needs a certificate and its key"
	case t.Key == "":
		return "key", t.Key, "missing: TLS needs a certificate and its key"
	}
	var err error
	t.certs, err = secure.Read(secure.Options{
		Cert: t.Cert, Key: t.Key, ClientCA: t.ClientCA,
		Optional: t.ClientAuth == authOptional, MinVersion: versions[t.MinTLS],
	})
	var fe *secure.FileError
	if errors.As(err, &fe) {
		return fe.Key, fe.File, fe.Err.Error()
	}
	if err != nil { // never without TLS
		return "cert", t.Cert, err.Error()
	}
	return "", "", ""
}

// findCertificates reads the files of [queue] and [http]; those of [[listen]] are read
// with their tables.
func (c *Config) findCertificates() (ms Mistakes) {
	for _, table := range []struct {
		prefix string
		tls    *TLS
	}{{"queue.", &c.Queue.TLS}, {"http.", &c.HTTP.TLS}} {
		key, value, problem := table.tls.load()
		if problem == "" {
			continue
		}
		at := c.from[table.prefix+key]
		for _, other := range []string{"cert", "key", "client_ca"} {
			if at.file == "" {
				at = c.from[table.prefix+other] // of one that is there
			}
		}
		ms = append(ms, Mistake{File: at.file, Line: at.line, Key: table.prefix + key, Value: quote(value), Problem: problem, Absent: value == ""})
	}
	return ms
}

// tables are the settings of TLS of all addresses.
func (c *Config) tables() []*TLS {
	all := []*TLS{&c.Queue.TLS, &c.HTTP.TLS}
	for i := range c.Listen {
		all = append(all, &c.Listen[i].TLS)
	}
	return all
}

// certificates are those of all addresses.
func (c *Config) certificates() (all []*secure.Certificates) {
	for _, t := range c.tables() {
		if t.certs != nil {
			all = append(all, t.certs)
		}
	}
	return all
}

// keeper keeps the certificates up to date.
func (c *Config) keeper(log *slog.Logger) *secure.Keeper {
	k := secure.NewKeeper(log, c.certificates()...)
	k.Limit(c.mostHandshakes())
	return k
}

// mostHandshakes is limits.handshakes, or what leaves others enough connections.
func (c *Config) mostHandshakes() int {
	if c.Limits.Handshakes > 0 {
		return c.Limits.Handshakes
	}
	most := secure.MostHandshakes
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil {
		most = int(min(uint64(most), files.Cur/4))
	}
	if c.Limits.MaxConnections > 0 {
		most = min(most, c.Limits.MaxConnections/4)
	}
	return max(1, most)
}
