package cluster

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/storage/cluster/members"
	"beanfield/storage/jetstream"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// comes prepares a further node, which has a configuration of its own, with itself in it.
func (c *trio) comes(name string) (address string) {
	address = free()
	c.dirs[name], c.stores[name] = c.TempDir(), &memory{lags: true}
	c.options.Nodes = maps.Clone(c.options.Nodes)
	c.options.Nodes[name] = address
	return address
}

// begin starts a node that has to wait until it is added, and tells what it waits for.
func (c *trio) begin(name string) (waits func() string) {
	var said must.Text
	o := c.of(name)
	o.Waiting = func(what string) { _, _ = said.Write([]byte(what + "\n")) }
	came := make(chan func(), 1)
	c.coming = came
	c.served.Go(func() {
		n, err := Start(limited(c.TB), o)
		if err != nil {
			c.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		came <- func() { c.nodes[name], c.cancel[name] = n, cancel }
		c.serve(ctx, name, n)
	})
	return said.String
}

// arrives notes a node that has begun, if there is one.
func (c *trio) arrives() {
	if c.coming != nil {
		until(c.TB, "a node has begun", func() bool { return len(c.coming) > 0 })
		(<-c.coming)()
		c.coming = nil
	}
}

// over waits until a change is over that was said to a table, as a node sees it, and gives the one after.
func (c *trio) over(name string, before *members.Table) *members.Table {
	c.Helper()
	var t *members.Table
	last := ""
	until(c.TB, "the change is over", func() bool {
		t = c.nodes[name].table.Load()
		if c.nodes[name].Status().Change != nil {
			if now := c.nodes[name].Look(limited(c.TB)).Change; now != nil && now.Step+": "+now.Waits != last {
				last = now.Step + ": " + now.Waits
				c.Log(time.Now().Format("05.000"), last)
			}
		}
		return t.Change == nil && t.Version > before.Version
	})
	c.arrives()
	if owner, _ := c.owner(); c.nodes[owner].moves.Load() != 0 {
		c.Error("lanes are not steered yet, though nothing moves in them any more")
	}
	return t
}

// wrongAddresses are those with which no node is added.
func (c *trio) wrongAddresses(n *Node) {
	for address, want := range map[string]string{c.options.Nodes["b"]: "is the address of node b",
		"nobody.invalid:1": "cannot look the host nobody.invalid up", "127.0.0.1": "missing port"} {
		if err := n.Change(limited(c.TB), Change{Do: members.Add, Node: "d", Address: address}); err == nil ||
			!strings.Contains(err.Error(), want) {
			c.Errorf("d=%s: %v", address, err)
		}
	}
}

// A node is added to three, which says before how, and another one is removed, while the cluster serves. CN8: the
// engine of a node that waits is not in the engines' group. CN7: what the configurations lack is told.
func TestNodesComeAndGo(t *testing.T) {
	c := newTrio(t)
	owner, _, others := c.three()
	stays := []string{owner, others[0], "d"}
	slices.Sort(stays)
	address := c.comes("d")
	waits := c.begin("d")
	until(t, "it says how it is added", func() bool {
		return strings.Contains(waits(), "this node, d, is none of the cluster's: at one of a, b, c, beanfield "+
			"cluster add d="+address)
	})
	ctx := limited(t)
	if todo, err := c.nodes[owner].expel(ctx, c.nodes[owner].table.Load().Nodes); todo != "" || err != nil {
		t.Errorf("CN8: %s, %v", todo, err)
	}
	n, before := c.nodes[others[0]], c.nodes[owner].table.Load()
	c.wrongAddresses(n)
	must.Do(t, n.Change(ctx, Change{Do: members.Add, Node: "d", Address: address}))
	if err := n.Change(ctx, Change{Do: members.Remove, Node: others[0]}); err == nil ||
		!strings.Contains(err.Error(), "a change is under way: add d="+address) {
		t.Error("two changes at a time:", err)
	}
	before = c.over(owner, before)
	if table := before; len(table.Nodes) != 4 || table.Replicas != 3 {
		t.Fatalf("%s", table.Encode())
	}
	owner, term := c.owner()
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
			until(t, strings.Join(stays, ", ")+" keep the lanes", func() bool { // a new leader has to hear them
				_, peers, err := r.shard.Leader(ctx, lane)
				slices.Sort(peers)
				return err == nil && slices.Equal(peers, stays)
			})
		}
	}
	if v, err := c.nodes[owner].Verify(ctx); err != nil || !v.Equal {
		t.Errorf("the copies are %+v, %v", v, err)
	}
}

// A change goes back, or is said again, though the node's name cannot be looked up any more.
func TestWhatIsNotLookedUp(t *testing.T) {
	n := newNode(Options{})
	n.server = new(jetstream.Server)
	lost := members.Node{Name: "b", Address: "nobody.invalid:1"}
	for what, c := range map[string]struct {
		table members.Table
		finds bool
	}{
		"a voter":            {members.Table{Nodes: []members.Node{lost}}, true},
		"one that leaves":    {members.Table{Change: &members.Change{Remove: &lost}}, true},
		"one that comes":     {members.Table{Change: &members.Change{Add: &lost}}, true},
		"from elsewhere":     {members.Table{Nodes: []members.Node{{Name: "b", Address: "127.0.0.1:1"}}}, false},
		"another one's name": {members.Table{Nodes: []members.Node{{Name: "a", Address: lost.Address}}}, false},
	} {
		n.table.Store(&c.table)
		err := n.finds(t.Context(), Change{Do: members.Add, Node: lost.Name, Address: lost.Address})
		if (err == nil) != c.finds {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// While a change is under way a node folds at once, and then ever more rarely, until the change goes on; otherwise not.
func TestWhenANodeFolds(t *testing.T) {
	change := &members.Change{}
	none, begun, goes := &members.Table{}, &members.Table{Change: change}, &members.Table{Change: change}
	f, now := folding{}, time.Now()
	for i, c := range []struct {
		t     *members.Table
		after time.Duration // the time before
		due   bool
	}{{none, foldRarely, false}, {begun, 0, true}, {begun, foldEach, false}, {begun, foldEach, true},
		{begun, 2*foldEach - 1, false}, {goes, 0, true}, {goes, 2 * foldEach, true}, {goes, 4 * foldEach, true},
		{goes, foldRarely, true}, {goes, foldRarely, true}, {none, foldRarely, false}} {
		now = now.Add(c.after)
		if f.due(c.t, now) != c.due {
			t.Errorf("%d: %v after that it is due: %t", i, c.after, !c.due)
		}
	}
}

// Whoever owns the shards next goes on with a change: its owner is lost when it has just begun, and is told to leave
// while it serves. At last a node is removed that is dead, and no other one can take its place.
func TestChangeGoesOn(t *testing.T) {
	c := newTrio(t)
	owner, _, _ := c.three()
	address := c.comes("d")
	c.begin("d")
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

	own := string(turns.AppendRaise(nil, 0))
	left := without(next, "a", "b", "c", "d")
	copies := c.stores[left[0]]
	had := [2]int{copies.times(0, own), copies.times(1, own)}
	must.Do(t, c.nodes[next].Change(ctx, Change{Do: members.Remove, Node: next}))
	if before = c.over(left[0], before); before.Find(next) != nil {
		t.Fatalf("%s", before.Encode())
	}
	for i, had := range had {
		until(t, "P16: the next owner ends what the one before may have begun", func() bool {
			return copies.times(i, own) > had
		})
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
	c.append(term, "four;", without(dead, left...)...)
	if err := c.nodes[owner].Change(ctx, Change{Do: members.Remove, Node: owner}); err == nil {
		t.Error("the last but one is removed")
	}
}

// works is a client: it appends again and again, whoever serves, and tells how long it ever had to wait.
func (c *trio) works() {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		last, longest := time.Now(), time.Duration(0)
		for ctx.Err() == nil {
			<-tick.C
			c.mu.Lock()
			terms := slices.Collect(maps.Values(c.terms))
			c.mu.Unlock()
			for _, t := range terms {
				if t == nil || !t.Holds() {
					continue
				}
				if err := t.Append(0, []byte(".")); err == nil {
					longest = max(longest, time.Since(last))
					last = time.Now()
				}
			}
		}
		c.Log("the client waited at most", longest)
	})
	c.Cleanup(func() {
		cancel()
		done.Wait()
	})
}

// changed has a change done, which may have to be said again, and then wants a last word in the copies of all nodes.
func (c *trio) changed(o Change, meanwhile func(), nodes ...string) {
	c.Helper()
	var before *members.Table
	until(c.TB, "it may be changed: "+o.String(), func() bool {
		owner, _ := c.owner()
		before = c.nodes[owner].table.Load()
		return c.nodes[owner].Change(limited(c.TB), o) == nil
	})
	meanwhile()
	owner, _ := c.owner()
	c.over(owner, before)
	c.fit(nodes...)
	_, term := c.owner()
	c.append(term, o.String()+";", nodes...)
}

// CN9: a machine with an empty directory takes the place of a node, which lives or is dead. It is started before that
// is said: then it is nobody's twin, and says what is to be done; or when the node is gone. All the time a client is
// at work. CN8: at last two of them come up without the third one, and without the table of the members.
func TestNodesAreReplaced(t *testing.T) {
	c := newTrio(t)
	_, _, others := c.three()
	c.works()
	for i, dead := range []bool{true, false, true, false} {
		name, early := others[i%2], i < 2
		old := c.nodes[name]
		if dead {
			c.kill(name)
		}
		address := c.comes(name)
		if early {
			waits := c.begin(name)
			until(t, "it says what is to be done", func() bool {
				return strings.Contains(waits(), "beanfield cluster replace "+name+"="+address+
					" has this one take its "+
					"place")
			})
		}
		c.changed(Change{Do: members.Replace, Node: name, Address: address}, func() {
			if !dead {
				if _, err := old.Term(limited(t)); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(),
					"was removed") {
					t.Error("the one before hears", err)
				}
				c.kill(name)
			}
			if !early {
				until(t, "it is to start", func() bool {
					owner, _ := c.owner()
					return c.nodes[owner].table.Load().Joining() != nil
				})
				c.begin(name)
			}
		}, "a", "b", "c")
	}
	for name := range c.nodes {
		c.kill(name)
	}
	must.Do(t, os.Remove(filepath.Join(c.dirs[others[0]], tableName)))
	must.Do(t, os.WriteFile(filepath.Join(c.dirs[others[1]], tableName), nil, 0o600))
	c.start(others...)
	_, term := c.owner()
	c.append(term, "last;", others...)
}

// Lanes come to be kept by five, while a majority is gone for a while, and by three again. All the time a client is at
// work.
func TestReplicas(t *testing.T) {
	c := newTrio(t)
	c.three()
	c.works()
	for _, name := range []string{"d", "e"} {
		address := c.comes(name)
		c.begin(name)
		c.changed(Change{Do: members.Add, Node: name, Address: address}, func() {}, "a", "b", "c", name)
	}
	all := []string{"a", "b", "c", "d", "e"}
	c.changed(Change{Do: members.Replicas, Replicas: 5}, func() {
		owner, _ := c.owner()
		lost := without(owner, all...)[:3]
		for _, name := range lost {
			c.kill(name)
		}
		until(t, "nobody serves", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.terms[owner] == nil })
		c.start(lost...)
	}, all...)
	c.changed(Change{Do: members.Replicas, Replicas: 3}, func() {}, all...)
	c.changed(Change{Do: members.Remove, Node: "e"}, func() {}, all[:4]...)
}

// A cluster of one node says what to do instead of growing.
func TestOneNodeDoesNotGrow(t *testing.T) {
	c := newTrio(t)
	c.options.Nodes = map[string]string{"a": c.options.Nodes["a"]}
	c.start("a")
	c.owner()
	err := c.nodes["a"].Change(limited(t), Change{Do: members.Add, Node: "b", Address: "127.0.0.1:1"})
	if err == nil || !strings.Contains(err.Error(), "cluster detach") {
		t.Error("it grows:", err)
	}
}
