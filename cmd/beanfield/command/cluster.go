package command

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// clustering is the command cluster. Its first word says what to do.
type clustering struct {
	Config   string        `flag:"config the server's configuration <file>, on this machine (default USUAL)"`
	C        string        `flag:"c the same <file>"`
	Dir      string        `flag:"dir the node's data <directory>, instead of its configuration"`
	From     string        `flag:"from with init: the data <directory> of the server whose jobs the cluster is to have"`
	Undo     bool          `flag:"undo with drain: the node may serve again"`
	Shard    int           `flag:"shard with rebuild: only this <shard>; -1 is all"`
	Patience time.Duration `flag:"timeout longest <time> to wait (default 30s; verify and rebuild 30m)"`
}

// allShards is what -shard is without one.
const allShards = -1

// clusterActs are the words, and what each does. The call has the words behind it.
var clusterActs = map[string]func(a *clustering, c *call) error{
	"init":   func(a *clustering, c *call) error { return c.initCluster(a.Config, a.From) },
	"detach": func(a *clustering, c *call) error { return c.detach(a.Config) },
	"status": (*clustering).status,
	"move":   func(a *clustering, c *call) error { return a.order(c, "move", true) },
	"drain":  func(a *clustering, c *call) error { return a.order(c, "drain", true) },
	"join":   func(a *clustering, c *call) error { return a.order(c, "join", false) },
	"leave":  func(a *clustering, c *call) error { return a.order(c, "leave", true) },
	"verify": (*clustering).verify,
	rebuild: func(a *clustering, c *call) error {
		a.Patience = cmp.Or(a.Patience, verifyPatience)
		return a.order(c, rebuild, true)
	},
}

func (a *clustering) run(c *call) error {
	word, err := c.act("status", slices.Sorted(maps.Keys(clusterActs))...)
	a.Config = cmp.Or(a.Config, a.C)
	switch {
	case err != nil:
		return err
	case a.From != "" && word != "init":
		return usagef("-from is for init")
	case a.Shard != allShards && word != rebuild:
		return usagef("-shard is for rebuild")
	case a.Undo && word != "drain":
		return usagef("-undo is for drain")
	case a.Dir != "" && (word == "init" || word == "detach"):
		return usagef("-dir is for a node that runs")
	}
	return clusterActs[word](a, c)
}
