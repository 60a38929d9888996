package cluster

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/cluster/members"
	"beanfield/storage/must"
)

// comes prepares a further node, which has a configuration of its own, with itself in it.
func (c *trio) comes(name string) (address string) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	address = l.Addr().String()
	c.dirs[name], c.stores[name] = c.TempDir(), &memory{}
	return address
}

// begin starts a node that has to wait until it is added, and tells what it waits for.
func (c *trio) begin(name, address string) (waits func() string) {
	var said must.Text
	o := c.of(name)
	o.Nodes = maps.Clone(o.Nodes)
	o.Nodes[name] = address
	o.Waiting = func(what string) { _, _ = said.Write([]byte(what + "\n")) }
	c.served.Go(func() {
		n, err := Start(limited(c.TB), o)
		if err != nil {
			c.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		c.mu.Lock()
		c.nodes[name], c.cancel[name] = n, cancel
		c.mu.Unlock()
		c.serve(ctx, name, n)
	})
	return said.String
}

// over waits until a change is over that was said to a table, as a node sees it, and gives the one after.
func (c *trio) over(name string, before *members.Table) *members.Table {
	c.Helper()
	var t *members.Table
	last := ""
	until(c.TB, "the change is over", func() bool {
		st := c.nodes[name].Status()
		t = c.nodes[name].table.Load()
		if st.Change != nil {
			st = c.nodes[name].Look(limited(c.TB))
			if is := st.Change.Step + ": " + st.Change.Waits; is != last {
				last = is
				c.Log(time.Now().Format("05.000"), is)
			}
		}
		return t.Change == nil && t.Version > before.Version
	})
	return t
}

// A node is added to three, which says before how, and another one is removed, while the cluster serves. CN8: the
// engine of a node that waits is not in the engines' group. CN7: what the configurations lack is told.
func TestNodesComeAndGo(t *testing.T) {
	c := newTrio(t)
	owner, term, others := c.three()
	stays := []string{owner, others[0], "d"}
	slices.Sort(stays)
	address := c.comes("d")
	waits := c.begin("d", address)
	until(t, "it says how it is added", func() bool {
		return strings.Contains(waits(), "this node, d, is none of the cluster's: at one of a, b, c, beanfield "+
			"cluster add d="+address)
	})
	ctx := limited(t)
	if todo, err := c.nodes[owner].expel(ctx, c.nodes[owner].table.Load().Nodes); todo != "" || err != nil {
		t.Errorf("CN8: %s, %v", todo, err)
	}
	n, before := c.nodes[others[0]], c.nodes[owner].table.Load()
	if err := n.Change(ctx, Change{Do: members.Add, Node: "d", Address: c.options.Nodes["b"]}); err == nil {
		t.Error("an address that another node has is taken")
	}
	must.Do(t, n.Change(ctx, Change{Do: members.Add, Node: "d", Address: address}))
	if err := n.Change(ctx, Change{Do: members.Remove, Node: others[0]}); err == nil ||
		!strings.Contains(err.Error(), "a change is under way: add d="+address) {
		t.Error("two changes at a time:", err)
	}
	before = c.over(owner, before)
	if table := before; len(table.Nodes) != 4 || table.Replicas != 3 {
		t.Fatalf("%s", table.Encode())
	}
	owner, term = c.owner()
	c.append(term, "two;", "a", "b", "c", "d")
	until(t, "one that keeps no lane lacks none", func() bool { return c.nodes["d"].watch.Leads("d") })
	if told := strings.Join(n.Status().Problems, ""); !strings.Contains(told, "it lacks node d="+address) {
		t.Errorf("CN7: a configuration that lacks node d is told as %q", told)
	}
	c.fit("a", "b", "c", "d")

	gone := c.nodes[others[1]]
	must.Do(t, n.Change(ctx, Change{Do: members.Remove, Node: others[1]}))
	if table := c.over(owner, before); len(table.Nodes) != 3 || table.Find(others[1]) != nil {
		t.Fatalf("%s", table.Encode())
	}
	if _, err := gone.Term(ctx); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "was removed") {
		t.Error("who was removed hears", err)
	}
	c.kill(others[1])
	owner, term = c.owner()
	c.append(term, "three;", stays...)
	for _, r := range c.nodes[owner].replicas {
		for lane := range 2 {
			_, peers, err := r.shard.Leader(ctx, lane)
			slices.Sort(peers)
			if err != nil || !slices.Equal(peers, stays) {
				t.Errorf("lane %d of shard %d is kept by %v, %v; want %v", lane, r.i, peers, err, stays)
			}
		}
	}
	if v, err := c.nodes[owner].Verify(ctx); err != nil || !v.Equal {
		t.Errorf("the copies are %+v, %v", v, err)
	}
}

// Whoever owns the shards next goes on with a change: its owner is lost when it has just begun, and is told to leave
// while it serves. At last a node is removed that is dead, and no other one can take its place.
func TestChangeGoesOn(t *testing.T) {
	c := newTrio(t)
	owner, _, _ := c.three()
	address := c.comes("d")
	c.begin("d", address)
	ctx, before := limited(t), c.nodes[owner].table.Load()
	must.Do(t, c.nodes[owner].Change(ctx, Change{Do: members.Add, Node: "d", Address: address}))
	c.kill(owner)
	next, _ := c.owner()
	until(t, "the next owner knows of it", func() bool { return c.nodes[next].Status().Change != nil })
	c.start(owner)
	if before = c.over(next, before); len(before.Nodes) != 4 {
		t.Fatalf("%s", before.Encode())
	}
	c.fit("a", "b", "c", "d")
	next, term := c.owner()
	c.append(term, "two;", "a", "b", "c", "d")

	must.Do(t, c.nodes[next].Change(ctx, Change{Do: members.Remove, Node: next}))
	left := slices.DeleteFunc([]string{"a", "b", "c", "d"}, func(name string) bool { return name == next })
	if before = c.over(left[0], before); before.Find(next) != nil {
		t.Fatalf("%s", before.Encode())
	}
	c.kill(next)
	c.fit(left...)
	owner, term = c.owner()
	c.append(term, "three;", left...)

	dead := left[slices.IndexFunc(left, func(name string) bool { return name != owner })]
	c.kill(dead)
	until(t, "the dead one may be removed", func() bool {
		return c.nodes[owner].Change(ctx, Change{Do: members.Remove, Node: dead}) == nil
	})
	if table := c.over(owner, before); len(table.Nodes) != 2 {
		t.Fatalf("%s", table.Encode())
	}
	owner, term = c.owner()
	c.append(term, "four;", slices.DeleteFunc(left, func(name string) bool { return name == dead })...)
	if err := c.nodes[owner].Change(ctx, Change{Do: members.Remove, Node: owner}); err == nil {
		t.Error("the last but one is removed")
	}
}
