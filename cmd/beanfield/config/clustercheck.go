package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"beanfield/conn/secure"
)

// Clustered says that the process is a node of a cluster.
func (c *Config) Clustered() bool { return c.Cluster.Name != "" }

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
		o := c.From[key]
		m := Mistake{File: o.File, Line: o.Line, Key: key, Value: c.row(key).show(), Problem: problem, Allowed: allowed}
		switch {
		case o.Flag != "":
			m.Key, m.Value = o.Flag, ""
		case o.File == "": // by default
			m.File, m.Line = c.clusterOrigin()
		}
		if strings.HasPrefix(problem, "missing") {
			m.Value, m.Absent = "", true
		}
		ms = append(ms, m)
	}
	names := `a name in cluster.nodes: "` + strings.Join(slices.Sorted(maps.Keys(k.Nodes)), `", "`) + `"`
	if k.Name == "" {
		wrong("cluster.name", "missing: other keys of [cluster] are set", "")
	}
	switch _, listed := k.Nodes[k.Node]; {
	case len(k.Nodes) == 0:
		wrong(nodesKey, "missing: a cluster needs the addresses of its nodes", "")
	case k.Node == "":
		wrong("cluster.node", "missing: this node's name", names)
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
func (c *Config) clusterOrigin() (file string, line int) {
	for _, key := range everyKey() {
		if o := c.From[key]; strings.HasPrefix(key, "cluster.") && o.File != "" && (line == 0 || o.Line < line) {
			file, line = o.File, o.Line
		}
	}
	return file, line
}
