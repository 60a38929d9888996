package config

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"math"
	"syscall"

	"beanfield/conn/secure"
)

// TLS is the settings of TLS for an address, or for a table with addresses.
type TLS struct {
	Cert, Key, ClientCA string // files; without Cert and Key there is no TLS
	ClientAuth          string // "": required, if there is a ClientCA
	MinTLS              string // "": 1.2

	Certs *secure.Certificates // what the files hold; nil without TLS
	read  *secure.Certificates // what a reload has read, to take the place of what Certs has
}

// authOptional is the word of client_auth for what is not required.
const authOptional = "optional"

// versions are the words of min_tls.
var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// Asked says whether any file is named, which asks for TLS.
func (t *TLS) Asked() bool { return t.Cert != "" || t.Key != "" || t.ClientCA != "" }

// load reads the files, if any are named. If they cannot be used, it returns the key that is
// wrong, and why.
func (t *TLS) load() (key, value, problem string) {
	switch {
	case t.MinTLS != "" && !t.Asked():
		return "min_tls", t.MinTLS, "there is no TLS here without cert and key"
	case t.ClientAuth != "" && t.ClientCA == "":
		return "client_auth", t.ClientAuth, "clients are asked for no certificate without client_ca"
	case !t.Asked():
		return "", "", ""
	case t.Cert == "":
		return "cert", t.Cert, "missing: TLS needs a certificate and its key"
	case t.Key == "":
		return "key", t.Key, "missing: TLS needs a certificate and its key"
	}
	var err error
	t.Certs, err = secure.Read(secure.Options{
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

// tlsTable is a table with settings of TLS.
type tlsTable struct {
	prefix string // of its keys
	*TLS
	from func(key string) Origin
}

// tables are those of the front ends; elsewhere than in [[listen]], each key has a line of its own.
func (c *Config) tables() []tlsTable {
	from := func(key string) Origin { return c.From[key] }
	all := []tlsTable{{"queue.", &c.Queue.TLS, from}, {"http.", &c.HTTP.TLS, from}}
	for i := range c.Listen {
		l := &c.Listen[i]
		all = append(all, tlsTable{"listen.", &l.TLS, func(string) Origin { return l.from }})
	}
	return all
}

// findCertificates reads the files of [queue] and [http]; those of [[listen]] are read
// with their tables.
func (c *Config) findCertificates() (ms Mistakes) {
	for _, table := range c.tables()[:2] {
		key, value, problem := table.load()
		if problem == "" {
			continue
		}
		at := table.from(table.prefix + key)
		for _, other := range []string{"cert", "key", "client_ca"} {
			if at.File == "" {
				at = table.from(table.prefix + other) // of one that is there
			}
		}
		ms = append(ms, Mistake{Origin: at, Key: table.prefix + key, Value: quote(value),
			Problem: problem, Absent: value == ""})
	}
	return ms
}

// Keeper keeps the certificates up to date.
func (c *Config) Keeper(log *slog.Logger) *secure.Keeper {
	var all []*secure.Certificates
	for _, t := range c.tables() {
		if t.Certs != nil {
			all = append(all, t.Certs)
		}
	}
	k := secure.NewKeeper(log, all...)
	k.Limit(c.MostHandshakes())
	return k
}

// MostHandshakes is limits.handshakes, or what leaves others enough connections.
func (c *Config) MostHandshakes() int {
	if c.Limits.Handshakes > 0 {
		return c.Limits.Handshakes
	}
	most := min(secure.MostHandshakes, openFiles()/4)
	if c.Limits.MaxConnections > 0 {
		most = min(most, c.Limits.MaxConnections/4)
	}
	return max(1, most)
}

// openFiles is how many files the process may open.
func openFiles() int {
	files := syscall.Rlimit{Cur: math.MaxInt32}
	syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return int(min(files.Cur, math.MaxInt32))
}

// CheckRead says which of the certificates that were read to replace others must not be used.
func (c *Config) CheckRead(k *secure.Keeper) (ms Mistakes) {
	for _, t := range c.tables() {
		var wrong *secure.FileError
		if t.read != nil && errors.As(k.Check(t.Certs, t.read), &wrong) {
			ms = append(ms, Mistake{Origin: t.from(t.prefix + "cert"), Key: t.prefix + wrong.Key,
				Value: quote(wrong.File), Problem: wrong.Err.Error()})
		}
	}
	return ms
}

// Exchange puts them in the place of the others.
func (c *Config) Exchange(k *secure.Keeper) {
	for _, t := range c.tables() {
		if t.read != nil {
			k.Exchange(t.Certs, t.read)
		}
	}
}
