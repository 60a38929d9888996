package command

import (
	"cmp"
	"flag"
	"maps"
	"slices"
	"time"
)

// clustering is the command cluster. Its first word says what to do.
type clustering struct {
	config, dir, from string
	undo              bool
	shard             int
	patience          time.Duration
}

func (a *clustering) flags(f *flag.FlagSet) {
	configFlag(f, &a.config, usualConfig)
	f.StringVar(&a.config, "c", "", "the same `file`")
	f.StringVar(&a.dir, "dir", "", "the node's data `directory`, instead of its configuration")
	f.StringVar(&a.from, "from", "", "with init: the data `directory` of the server whose jobs the cluster is to have")
	f.BoolVar(&a.undo, "undo", false, "with drain: the node may serve again")
	f.IntVar(&a.shard, "shard", allShards, "with rebuild: only this `shard`; -1 is all")
	f.Var(spanned(&a.patience, 0), "timeout", "longest `time` to wait for the node, and for what it is told "+
		"(default 30s; verify and rebuild 30m)")
}

// allShards is what -shard is without one.
const allShards = -1

// clusterActs are the words, and what each does. The call has the words behind it.
var clusterActs = map[string]func(a *clustering, c *call) error{
	"init":   func(a *clustering, c *call) error { return c.initCluster(a.config, a.from) },
	"detach": func(a *clustering, c *call) error { return c.detach(a.config) },
	"status": (*clustering).status,
	"move":   func(a *clustering, c *call) error { return a.order(c, "move", true) },
	"drain":  func(a *clustering, c *call) error { return a.order(c, "drain", true) },
	"join":   func(a *clustering, c *call) error { return a.order(c, "join", false) },
	"leave":  func(a *clustering, c *call) error { return a.order(c, "leave", true) },
	"verify": (*clustering).verify,
	rebuild: func(a *clustering, c *call) error {
		a.patience = cmp.Or(a.patience, verifyPatience)
		return a.order(c, rebuild, true)
	},
}

func (a *clustering) run(c *call) error {
	word, err := c.act("status", slices.Sorted(maps.Keys(clusterActs))...)
	switch {
	case err != nil:
		return err
	case a.from != "" && word != "init":
		return usagef("-from is for init")
	case a.shard != allShards && word != rebuild:
		return usagef("-shard is for rebuild")
	case a.undo && word != "drain":
		return usagef("-undo is for drain")
	case a.dir != "" && (word == "init" || word == "detach"):
		return usagef("-dir is for a node that runs")
	}
	return clusterActs[word](a, c)
}
