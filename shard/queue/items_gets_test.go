package queue

import (
	"fmt"
	"strings"
)

// tags picks tags of an item, or those that somebody asks for; mostly none.
func (x *machine) tags(some int) []string {
	if x.pick(some+1, "tags") > some/2 {
		return nil
	}
	return choose(x, "which", []string{"k=v"}, []string{"requestId=r"}, []string{"requestId=s"},
		[]string{"k=v", "requestId=r"})
}

// machineGets is how many gets may wait.
const machineGets = 6

// getter is one of the gets that do not wait, or nil.
func (x *machine) getter() *caller {
	c := x.w.caller(fmt.Sprint(x.pick(machineGets, "get")))
	for _, g := range x.m.Gets {
		if g.Name == c.name {
			return nil
		}
	}
	return c
}

// findAgain lets a get that was called try again, or one that waits give up.
func (x *machine) findAgain() {
	all := x.m.Gets
	if len(all) == 0 {
		return
	}
	g := *choose(x, "get", all...)
	switch i := x.consumer(); {
	case g.Called == 0 && x.pick(3, "patience") > 0:
	case g.Called == 0 || x.pick(2, "gives up") == 0:
		x.speaks(i, fmt.Sprintf("q@%s unget %s", g.Queue, g.Name))
	default:
		words := g.Tags
		if x.pick(4, "another wish") == 0 {
			words = x.tags(2)
		}
		if g.Take {
			words = append([]string{"take"}, words...)
		}
		x.speaks(i, fmt.Sprintf("q@%s get from=%d wait=%s %s", g.Queue, g.From, g.Name, strings.Join(words, " ")))
	}
}
