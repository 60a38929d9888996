package config

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// ClusterConfig is the table [cluster]: several machines that are one server to their clients.
type ClusterConfig struct {
	Name          string // "": one machine
	Node          string // this one
	Secret        string // that the nodes share
	Cert, Key, CA string // files; with them the nodes use TLS among themselves
	Replicas      int
	Engine        []string // URLs of the site's own NATS servers; empty: embedded
	EngineUnsafe  bool     // those servers may be older than what is known to be safe
	Warm          bool     // a follower keeps the jobs in memory
	Prefer        bool     // the shards go back to a node that comes first
	Nodes         map[string]Address
}

const (
	nodesKey        = "cluster.nodes"
	defaultReplicas = 3
	maxNodeName     = 32
	// hidden is what is shown in the place of a password in a URL.
	hidden = "xxxxx"
)

// showSecret shows a list, which a file must not have there (see secrets).
func showSecret(s string) string {
	if s != "" {
		return showTexts([]string{"not shown"})
	}
	return quote("")
}

func checkPlain(name string) error {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }):
		return errors.New("not a plain name")
	case len(name) > maxNodeName:
		return errors.New("too long")
	}
	return nil
}

func asReplicas(v any) (int, error) {
	n, err := asNumber(v, 1, 5)
	if err == nil && n%2 == 0 {
		err = errors.New("an even number outlives no more machines than one less")
	}
	return int(n), err
}

func asEngines(v any) ([]string, error) {
	list, err := asTexts(v)
	for _, s := range list {
		u, e := url.Parse(s)
		switch {
		case e != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls"}, u.Scheme):
			return nil, errors.New("in the list: not a URL of a NATS server")
		case u.Redacted() == s && strings.Contains(s, ":"+hidden+"@"):
			return nil, errors.New("in the list: a password that was not shown")
		}
	}
	return list, err
}

func showEngines(list []string) string {
	shown := make([]string, len(list))
	for i, s := range list {
		if u, err := url.Parse(s); err == nil {
			if _, password := u.User.Password(); u.User != nil && !password {
				u.User = url.User(hidden) // a token
			}
			shown[i] = u.Redacted()
		}
	}
	return showTexts(shown)
}

func showNodes(nodes map[string]Address) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		list = append(list, name+" = "+quote(nodes[name].String()))
	}
	if len(list) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// asNode takes the address at which the other nodes reach the engine of a node. That its host can be
// looked up is not asked for: names may come later than a machine.
func asNode(v any) (Address, error) {
	a, err := asAddress(v)
	switch {
	case err != nil:
		return a, err
	case a.Path != "":
		return a, errors.New("a unix socket cannot be reached from other machines")
	case a.Host == "":
		return a, errors.New("missing host: the other nodes need it")
	case a.Port == 0:
		return a, errors.New("port 0 cannot be reached")
	}
	return a, nil
}

const oneNode = `"host:port" of another machine or of this one`

// nodes reads the table of nodes, of which each mistake has its line.
func (r *fileReader) nodes(key toml.Key, v any) {
	line := r.lines.at(key, 0)
	r.config.From[nodesKey] = Origin{File: r.path, Line: line}
	table, ok := v.(map[string]any)
	if !ok {
		r.wrong(line, key, v, wrongKind(v).Error(), find(r.rows, nodesKey).allowed)
		return
	}
	seen := map[Address]string{}
	r.config.Cluster.Nodes = nil
	for _, name := range slices.Sorted(maps.Keys(table)) {
		at := child(key, name)
		line := r.lines.at(at, line)
		if err := checkPlain(name); err != nil {
			r.wrong(line, at, table[name], "the name of a node: "+err.Error(),
				`letters, digits, "-" and "_", at most 32`)
			continue
		}
		a, err := asNode(table[name])
		if err != nil {
			r.wrong(line, at, table[name], err.Error(), oneNode)
			continue
		}
		if first, twice := seen[a]; twice {
			r.wrong(line, at, table[name], "the same address as that of node "+first, "")
		}
		seen[a] = name
		if r.config.Cluster.Nodes == nil {
			r.config.Cluster.Nodes = map[string]Address{}
		}
		r.config.Cluster.Nodes[name] = a
	}
}
