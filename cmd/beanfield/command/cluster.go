package command

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// cluster is the command of that name. Its first word says what to do.
type cluster struct {
	config, from string
	json         bool
}

func (a *cluster) flags(f *flag.FlagSet) {
	f.StringVar(&a.config, "config", "", "the node's configuration `file`")
	f.StringVar(&a.from, "from", "", "with init: the data `directory` of the server whose jobs the cluster is to have")
	f.BoolVar(&a.json, "json", false, "print JSON")
}

// clusterActs are the words, and what each does. The call has the words behind it.
var clusterActs = map[string]func(a *cluster, c *call) error{
	"init":   func(a *cluster, c *call) error { return c.initCluster(a.config, a.from, a.json) },
	"detach": func(a *cluster, c *call) error { return c.detach(a.config, a.json) },
}

func (a *cluster) run(c *call) error {
	var known []string
	for name := range clusterActs {
		known = append(known, name)
	}
	slices.Sort(known)
	if len(c.words) == 0 {
		return usagef("what to do? %s", strings.Join(known, ", "))
	}
	word := c.words[0]
	act := clusterActs[word]
	if act == nil {
		return usageError{fmt.Errorf("what is %q?%s", word, suggestion(word, known))}
	}
	if a.from != "" && word != "init" {
		return usagef("-from is for init")
	}
	c.words = c.words[1:]
	return act(a, c)
}
