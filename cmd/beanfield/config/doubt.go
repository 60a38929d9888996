package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"beanfield/shard/queue"
)

// Doubts are settings that are valid, but probably not what was meant.
func (c *Config) Doubts() (list []string) {
	for key, tokens := range map[string][]string{"queue.tokens": c.Queue.Tokens, "http.tokens": c.HTTP.Tokens} {
		if len(tokens) > 0 && len(c.Access) > 0 {
			list = append(list, fmt.Sprintf("%s (%s) let nobody in, because there are rules: see [[access]]", key,
				c.From[key]))
		}
	}
	_, chosen := c.From["storage.backend"]
	if c.Storage.Path != "" && !chosen {
		list = append(list, fmt.Sprintf("storage.path is set (%s) but storage.backend is not: jobs are kept in "+
			"memory only",
			c.From["storage.path"]))
	}
	for i := range c.Tubes {
		if by := hiddenBy(c.Tubes, i); by != "" {
			list = append(list, fmt.Sprintf("tube.match = %s (%s) is never asked: %s before it matches the same tubes",
				quote(c.Tubes[i].Match), c.Tubes[i].at, quote(by)))
		}
	}
	return slices.Concat(list, c.tooFewFiles(), c.readable(), c.unreadable(), c.vainRules(), c.vainPatterns())
}

// aFile is one that a setting names, and what the server's user must be able to do with it: 4 read, 2 write, 1 enter.
type aFile struct {
	key, path string
	at        Origin
	need      fs.FileMode
}

// namedFiles are those that the server uses after it has become its user.
func (c *Config) namedFiles() (all []aFile) {
	tables := c.tables()
	from := tables[0].from
	for _, t := range append(tables, tlsTable{"cluster.", &TLS{Cert: c.Cluster.Cert, Key: c.Cluster.Key}, from}) {
		for _, f := range []aFile{{key: "key", path: t.Key}, {key: "cert", path: t.Cert},
			{key: "client_ca", path: t.ClientCA}} {
			all = append(all, aFile{t.prefix + f.key, f.path, t.from(t.prefix + f.key), 4})
		}
	}
	all = append(all, aFile{"cluster.ca", c.Cluster.CA, from("cluster.ca"), 4})
	if c.Storage.Backend == OnDisk {
		all = append(all, aFile{"storage.path", c.Storage.Path, from("storage.path"), 7})
	}
	if c.Audit.File != "stderr" {
		all = append(all, aFile{"audit.file", c.Audit.File, from("audit.file"), 2})
	}
	return slices.DeleteFunc(all, func(f aFile) bool { return f.path == "" })
}

// readable complains of secrets that every user of the machine can read: those in a configuration, in which the
// tokens of rules are hashes, and private keys.
func (c *Config) readable() (list []string) {
	all := slices.DeleteFunc(c.namedFiles(), func(f aFile) bool { return !strings.HasSuffix(f.key, ".key") })
	for key, secrets := range map[string]int{
		"queue.tokens": len(c.Queue.Tokens), "http.tokens": len(c.HTTP.Tokens), "cluster.secret": len(c.Cluster.Secret),
		"cluster.engine": strings.Count(strings.Join(c.Cluster.Engine, " "), "@"),
	} {
		if at := c.From[key]; secrets > 0 {
			all = append(all, aFile{key, at.File, at, 0})
		}
	}
	for _, f := range all {
		if info, err := os.Stat(f.path); err == nil && info.Mode().Perm()&0o004 != 0 {
			list = append(list, fmt.Sprintf("%s (%s) can be read by every user of this machine: chmod o-r %s", f.key,
				f.at, f.path))
		}
	}
	return list
}

// unreadable complains of what the user whom root is to become cannot use.
func (c *Config) unreadable() (list []string) {
	if c.Account == nil || os.Geteuid() != 0 {
		return nil
	}
	for _, f := range c.namedFiles() {
		path, need := f.path, f.need
		if _, err := os.Stat(path); err != nil && f.key == "audit.file" {
			path, need = filepath.Dir(path), 3 // it is made
		}
		if at := c.Account.stopped(path, need); at != "" {
			list = append(list, fmt.Sprintf("%s (%s) cannot be used by user %s: see the permissions of %s", f.key, f.at,
				c.Account.name, at))
		}
	}
	return list
}

// vainRules complains of rules that hold for nobody.
func (c *Config) vainRules() (list []string) {
	login, unix := len(c.Queue.Listen)+len(c.HTTP.Listen) > 0, false
	for _, l := range c.Listen {
		login, unix = login || l.Login, unix || l.Address.Path != ""
	}
	for _, a := range slices.Concat(c.Queue.Listen, c.HTTP.Listen) {
		unix = unix || a.Path != ""
	}
	certificates := slices.ContainsFunc(c.tables(), func(t tlsTable) bool { return t.ClientCA != "" })
	for i := range c.Access {
		for _, s := range rowsOf(accessKey, &c.Access[i]) {
			name, why := s.name(), ""
			switch {
			case s.show() == "[]":
			case slices.Contains(parts, name) && !certificates:
				why = "no address has a client_ca, so no client is asked for a certificate"
			case name == "token" && !login:
				why = "no [[listen]] has login = true"
			case (name == "uid" || name == "gid") && !unix:
				why = "no address is a unix socket, unless systemd opens one"
			}
			if why != "" {
				list = append(list, fmt.Sprintf("%s of rule %s fits nobody: %s", s.key, c.ruleName(i), why))
			}
		}
	}
	return list
}

func (c *Config) ruleName(i int) string { return cmp.Or(c.Access[i].Name, fmt.Sprint(i+1)) }

// vainPatterns complains of patterns for tubes with characters that no tube's name has: only * stands for others.
func (c *Config) vainPatterns() (list []string) {
	check := func(what string, patterns ...string) {
		for _, p := range patterns {
			for _, r := range p {
				if r != '*' && (r > 0x7f || !queue.NameByte[r]) {
					list = append(list, fmt.Sprintf("%s: %s fits no tube: a name has no %q, and only * stands for other characters", what, quote(p), r))
					break
				}
			}
		}
	}
	for i := range c.Access {
		check(accessKey+".tubes of rule "+c.ruleName(i), c.Access[i].Tubes...)
	}
	for i := range c.Tubes {
		check(tubeKey+".match ("+c.Tubes[i].at.String()+")", c.Tubes[i].Match)
	}
	for i := range c.Queue.For {
		check(queueForKey+".match", c.Queue.For[i].Match)
	}
	check("metrics.tubes", c.Metrics.Tubes...)
	return list
}
