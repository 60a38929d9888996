package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"beanfield/conn/secure"
)

// ClusterConfig is the table [cluster]: several machines that are one server to their clients.
type ClusterConfig struct {
	Name          string // "": one machine
	Node          string // this one; by default the one with the machine's name
	Secret        string // that the nodes share
	Cert, Key, CA string // files; with them the nodes use TLS among themselves
	Replicas      int
	Engine        []string      // URLs of the site's own NATS servers; empty: embedded
	EngineUnsafe  bool          // those servers may be older than what is known to be safe
	Warm          bool          // a follower keeps the jobs in memory
	Prefer        bool          // the shards go back to a node that comes first
	Refuses       bool          // a node that follows lets no client in
	Wait          time.Duration // how long a client waits for a node that serves
	Nodes         map[string]Address
}

const (
	nodesKey    = "cluster.nodes"
	maxNodeName = 32
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

// checkPlainOrNone takes a name that can stand in file names and in the engine's subjects.
func checkPlainOrNone(name string) error {
	if name == "" {
		return nil
	}
	return checkPlain(name)
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

func checkEngine(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls"}, u.Scheme):
		return errors.New("in the list: not a URL of a NATS server")
	case u.Redacted() == s && strings.Contains(s, ":"+hidden+"@"):
		return errors.New("in the list: a password that was not shown")
	}
	return nil
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
	a, err := text(parseAddress)(v)
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

// Clustered says that the process is a node of a cluster.
func (c *Config) Clustered() bool { return c.Cluster.Name != "" }

// PassesOn says that a node which follows passes clients on to the one that serves. Nodes that share neither a secret
// nor certificates, as with a site's own engine, could not know each other.
func (c *Config) PassesOn() bool {
	k := &c.Cluster
	return c.Clustered() && !k.Refuses && (k.Secret != "" || k.Cert != "")
}

// MostConnections is limits.max_connections. Without it a node that passes clients on has as many as its files allow:
// otherwise those who wait would take what is needed to pass them on, and what the engine and the store need.
func (c *Config) MostConnections() int {
	if c.Limits.MaxConnections > 0 || !c.PassesOn() {
		return c.Limits.MaxConnections
	}
	return c.passable()
}

// passable is how many clients that are passed on the process can have at a time: each takes filesOfOne files.
func (c *Config) passable() int {
	files := openFiles()
	return max(1, (files-min(files/4, mostOtherFiles))/c.filesOfOne())
}

// mostOtherFiles is how many files are left for the engine, the store and administrators.
const mostOtherFiles = 2000

// filesOfOne is how many files a client that is passed on takes at a node: two at the one between; where it is served,
// one, or three with certificates.
func (c *Config) filesOfOne() int {
	if c.Cluster.Cert != "" {
		return 3
	}
	return 2
}

// tooFewFiles says so if more clients are allowed than can be passed on.
func (c *Config) tooFewFiles() []string {
	if !c.PassesOn() || c.Limits.MaxConnections <= c.passable() {
		return nil
	}
	return []string{fmt.Sprintf("limits.max_connections (%s) is more than this node can pass on, which is %d: it may "+
		"open %d files (LimitNOFILE of its unit), and each client takes %d", c.From["limits.max_connections"],
		c.passable(), openFiles(), c.filesOfOne())}
}

// findCluster checks how the settings of a cluster, and others with them, go together. known are
// the mistakes found so far: a key that is wrong already is not said to be missing.
func (c *Config) findCluster(known Mistakes) (ms Mistakes) {
	k := &c.Cluster
	texts := k.Name + k.Node + k.Secret + k.Cert + k.Key + k.CA
	if texts == "" && len(k.Engine) == 0 && len(k.Nodes) == 0 {
		return nil
	}
	wrong := func(key, problem, allowed string) {
		if slices.ContainsFunc(known, func(m Mistake) bool {
			return m.Key == key || strings.HasPrefix(m.Key, key+".")
		}) {
			return
		}
		m := c.mistake(key, problem)
		if m.Allowed = allowed; c.From[key].Flag != "" {
			m.Value = ""
		} else if m.File == "" { // by default
			m.Origin = c.clusterOrigin()
		}
		if strings.HasPrefix(problem, "missing") {
			m.Value, m.Absent = "", true
		}
		ms = append(ms, m)
	}
	if k.Node == "" {
		machine, _ := os.Hostname()
		k.Node = k.here(machine)
	}
	names := `a name in cluster.nodes: "` + strings.Join(slices.Sorted(maps.Keys(k.Nodes)), `", "`) + `"`
	if k.Name == "" {
		wrong("cluster.name", "missing: other keys of [cluster] are set", "")
	}
	switch _, listed := k.Nodes[k.Node]; {
	case len(k.Nodes) == 0:
		wrong(nodesKey, "missing: a cluster needs the addresses of its nodes", "")
	case k.Node == "":
		wrong("cluster.node", "missing: this node's name, and no node has that of this machine", names)
	case !listed:
		wrong("cluster.node", "there is no such node", names)
	}
	some := slices.ContainsFunc(known, func(m Mistake) bool { return strings.HasPrefix(m.Key, nodesKey) })
	if len(k.Nodes) > 0 && k.Replicas > len(k.Nodes) && !some {
		wrong("cluster.replicas", fmt.Sprintf("more than there are nodes, which are %d", len(k.Nodes)), "")
	}
	if c.Storage.Backend == InMemory {
		wrong("storage.backend", "a cluster keeps its jobs on disk: what only memory has cannot outlive its machine",
			quote(OnDisk))
	}
	if c.Storage.Sync != syncAlways {
		wrong("storage.sync", "a cluster answers when most of its replicas have synced what the answer says; "+
			"there is no other way", quote(syncAlways))
	}
	c.checkTrust(wrong)
	return ms
}

// here is the node that has the name of this machine, without its domain; "" if none has.
func (k *ClusterConfig) here(machine string) string {
	name, _, _ := strings.Cut(machine, ".")
	if _, listed := k.Nodes[name]; listed {
		return name
	}
	return ""
}

// checkTrust checks how nodes know each other.
func (c *Config) checkTrust(wrong func(key, problem, allowed string)) {
	k := &c.Cluster
	files := []struct{ key, value string }{{"cluster.cert", k.Cert}, {"cluster.key", k.Key}, {"cluster.ca", k.CA}}
	if k.Cert == "" && k.Key == "" && k.CA == "" {
		if k.Secret == "" && len(k.Engine) == 0 {
			wrong("cluster.secret", "missing: without a secret, or cert, key and ca, anybody could be a node", "")
		}
		return
	}
	complete := true
	for _, f := range files {
		if f.value == "" {
			wrong(f.key, "missing: TLS between nodes needs cert, key and ca", "")
			complete = false
		}
	}
	if !complete {
		return
	}
	_, err := secure.Read(secure.Options{Cert: k.Cert, Key: k.Key, ClientCA: k.CA})
	var fe *secure.FileError
	switch {
	case errors.As(err, &fe) && fe.Key == "client_ca":
		wrong("cluster.ca", fe.Err.Error(), "")
	case errors.As(err, &fe):
		wrong("cluster."+fe.Key, fe.Err.Error(), "")
	case err != nil:
		wrong("cluster.cert", err.Error(), "")
	}
}

// clusterOrigin is where the file first speaks of a cluster.
func (c *Config) clusterOrigin() (first Origin) {
	for key, o := range c.From {
		if strings.HasPrefix(key, "cluster.") && o.File != "" && (first.Line == 0 || o.Line < first.Line) {
			first = o
		}
	}
	return first
}
