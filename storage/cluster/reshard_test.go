package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"beanfield/storage/effort"
	"beanfield/storage/jetstream"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// anew is the Founding of a node in a cluster of a, b and c with one shard, whose copy stands at a number.
func anew(number uint64, promised []uint64, ended *Ended) *Founding {
	p := turns.Place{Origin: 1, Number: number, Hash: number}
	return &Founding{Shards: 3, Generation: 1, Origins: []Base{BaseOf(p)}, From: &Former{
		Places: []turns.Place{p}, Promised: promised, Ended: ended}}
}

// RS3: a copy is chosen only if it is known to be complete.
func TestWhichCopyIsComplete(t *testing.T) {
	for what, c := range map[string]struct {
		// Of each node that has a Founding: its name, the number of its copy, the epoch that it has promised, 0 if
		// it is blank, and, if it has owned the shards, in which epoch last, and up to which number it has
		// answered.
		all    string
		number uint64 // of the chosen one; 0: none is
		voters string
	}{
		"all stopped in order":    {"a 7 2 1 5, b 7 2 2 7, c 7 2", 7, "abc"},
		"others have the most":    {"a 5 2 2 7, b 6 2, c 7 2", 7, "abc"},
		"more than was answered":  {"a 7 2 2 7, b 8 2", 8, "ab"},
		"nobody has the most":     {"a 5 2 2 7, b 6 2, c 6 2", 0, ""},
		"one is gone":             {"b 7 2 2 7, c 6 1", 7, "bc"},
		"two are gone":            {"b 7 2 2 7", 0, ""},
		"the last was killed":     {"a 7 3 2 7, b 9 3, c 9 2", 0, ""},
		"one promised in vain":    {"a 7 2 2 7, b 7 3, c 6 2", 7, "ac"},
		"one is blank":            {"a 7 2 2 7, b 7 0", 0, ""},
		"a majority is not blank": {"a 7 2 2 7, b 8 0, c 6 2", 8, "ac"},
		"a stranger votes":        {"a 7 2 2 7, d 7 2", 0, ""},
		"another number":          {"a 7 2 2 7, b 7 2 2 7 shards", 0, ""},
		"another log":             {"a 7 2 2 7, b 7 2 2 7 log", 0, ""},
	} {
		all := map[string]*Founding{}
		for _, text := range strings.Split(c.all, ", ") {
			var name, other string
			var number, promised, epoch, upTo uint64
			_, _ = fmt.Sscan(text, &name, &number, &promised, &epoch, &upTo, &other)
			f := anew(number, []uint64{promised}[:min(1, promised)], nil)
			if epoch > 0 {
				f.From.Ended = &Ended{[]uint64{epoch}, []uint64{upTo}, []string{"a", "b", "c"}}
			}
			switch other {
			case "shards":
				f.Shards = 4
			case "log":
				f.From.Places[0].Origin = 2
			}
			all[name] = f
		}
		got, voters, why := chosen(all, anew(1, nil, nil))
		if (got == nil) != (c.number == 0) || got != nil && (got.From.Places[0].Number != c.number ||
			strings.Join(voters, "") != c.voters) || (got == nil) != (why != "") {
			t.Errorf("%s: %+v, voters %v, %q", what, got, voters, why)
		}
	}
}

// past is what three nodes have done when the command is said, killed, said again or taken back at some of them.
type past struct {
	epoch, acked, begun uint64 // the last epoch, what was acknowledged, and with which copy the cluster begins
	nodes               [3]pastNode
}

// pastNode is one of them. With a Founding it does nothing else, so that has what the node has.
type pastNode struct {
	promised, number, ended, upTo uint64
	has, bound                    bool
}

// served is what becomes of a past when one node has owned the shards, and others have answered.
func (p past) served(owner int, others []int, yield func(past)) {
	p.epoch++
	p.acked++
	p.nodes[owner].promised, p.nodes[owner].number = p.epoch, p.acked // E7
	for _, i := range others {
		p.nodes[i].promised = p.epoch
	}
	yield(p) // it was killed
	p.nodes[owner].ended, p.nodes[owner].upTo = p.epoch, p.acked
	yield(p)
}

// next is whatever may happen.
func (p past) next(most uint64, yield func(past)) {
	for i, n := range p.nodes {
		q := p
		is := &q.nodes[i]
		if n.has && !n.bound {
			is.has = false // taken back
			yield(q)
			is.has, is.bound = true, true
			yield(q)
		}
		if n.has {
			continue
		}
		if is.has = true; n.promised > 0 {
			yield(q)
		}
		is.has, is.number = false, p.acked // it reads the lanes
		yield(q)
		if p.epoch == most {
			continue
		}
		q = p
		q.epoch++
		is.promised = q.epoch // in vain
		yield(q)
		var votes []int // RS2
		for k := range p.nodes {
			if k != i && !p.nodes[k].has {
				votes = append(votes, k)
				p.served(i, []int{k}, yield)
			}
		}
		if len(votes) == 2 {
			p.served(i, votes, yield)
		}
	}
}

// begins is with which copies the cluster may begin, if only some of the nodes are there.
func (p past) begins(yield func(past)) {
	for there := range 8 {
		all := map[string]*Founding{}
		for i, n := range p.nodes {
			if n.has && there>>i&1 == 1 {
				f := anew(n.number, []uint64{n.promised}, nil)
				if n.ended > 0 {
					f.From.Ended = &Ended{[]uint64{n.ended}, []uint64{n.upTo}, []string{"0", "1", "2"}}
				}
				all[fmt.Sprint(i)] = f
			}
		}
		f, voters, _ := chosen(all, anew(1, nil, nil))
		if f != nil && !slices.ContainsFunc(voters, func(v string) bool { return !p.nodes[v[0]-'0'].bound }) {
			p.begun = numbers(f)[0]
			yield(p)
		}
	}
}

// RS1 to RS3: whatever three nodes have done, whoever of them was killed or is away, and at whichever of them the
// command was killed, said or taken back: a cluster never begins without something that was or will be acknowledged.
func TestEachPastOfAReshard(t *testing.T) {
	most, begun := uint64(3), 0
	if effort.Brief() {
		most = 2
	}
	seen, todo := map[past]bool{}, []past{{}}
	meets := func(p past) {
		if !seen[p] {
			seen[p] = true
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.begun > 0 && p.acked > p.begun {
			t.Fatalf("%d were acknowledged, and the cluster begins with %d: %+v", p.acked, p.begun, p.nodes)
		}
		if p.next(most, meets); p.begun == 0 {
			p.begins(func(q past) { begun++; meets(q) })
		}
	}
	if begun == 0 {
		t.Error("it never begins")
	}
	t.Logf("%d pasts, the cluster begins in %d ways", len(seen), begun)
}

// resharded has a node that has been stopped begin anew with one shard more. Its new copies have the texts of all
// shards in the first one.
func (c *trio) resharded(name string) *Founding {
	m, dir := c.stores[name], c.dirs[name]
	f := must.Get(Reshard(dir, "test", len(m.places)+1, m.places))
	must.Do(c.TB, f.Write(dir, ReshardName))
	if is := must.Get(Resharded(dir, "test")); is == nil || !slices.Equal(is.Origins, f.Origins) {
		c.Errorf("at %s it is read as %+v", name, is)
	}
	all := make([][]string, len(f.Origins))
	all[0] = slices.Concat(m.turns...)
	m.places, m.turns, m.whole = f.Places(), all, [3]int{len(all[0])}
	return f
}

// close ends a node in order.
func (c *trio) close(name string) {
	must.Do(c.TB, c.nodes[name].Close(limited(c.TB)))
	c.cancel[name]()
	delete(c.nodes, name)
}

// RS1, RS2, RS4, RS5: the number of shards changes. The cluster begins with the copy of a node that has all, and a node
// that lacks something fetches that one. One that was not prepared is refused. The way back is closed when the others
// count on a node.
func TestAnotherNumberOfShards(t *testing.T) {
	c := newTrio(t)
	owner, term, others := c.three()
	behind, late := others[0], others[1]
	c.kill(behind)
	c.append(term, "two;", owner, late)
	c.close(late)
	c.close(owner)
	old := c.stores[behind].Place(0).Origin
	has := c.resharded(owner)
	if lacks := c.resharded(behind); has.Generation != 1 || has.Origins[0] == lacks.Origins[0] {
		t.Errorf("copies that differ begin the same logs: %+v", lacks)
	}
	c.options.DefaultShards = 3
	var starting sync.WaitGroup
	starting.Go(func() { c.start(owner, behind) })
	until(t, "both are bound", func() bool {
		_, a := os.Stat(filepath.Join(c.dirs[owner], FoundingName))
		_, b := os.Stat(filepath.Join(c.dirs[behind], FoundingName))
		return a == nil && b == nil
	})
	for _, name := range []string{owner, behind} {
		if f := must.Get(Resharded(c.dirs[name], "test")); f != nil {
			t.Errorf("%s could still be taken back", name)
		}
	}
	was := c.stores[late]
	c.stores[late] = &memory{} // the engine makes streams where there are three nodes: here an empty one
	dir := c.dirs[late]
	c.dirs[late] = t.TempDir()
	c.start(late)
	starting.Wait()
	c.fit(owner, behind, late)
	_, term = c.owner()
	c.append(term, "three;", owner, behind, late)
	for name, m := range c.stores {
		if origin := m.Place(0).Origin; origin == old ||
			BaseOf(turns.Place{Origin: origin}).Origin != has.Origins[0].Origin ||
			!m.has(0, "two;") {
			t.Errorf("node %s has the log %x: %s", name, origin, m.turns[0])
		}
	}
	until(t, "the old streams are gone", func() bool {
		newest, older, err := jetstream.Newest(limited(t), c.nodes[owner].conn, "test")
		return err == nil && newest == 1 && len(older) == 0
	})
	c.close(late)
	c.stores[late], c.dirs[late] = was, dir
	if _, err := Start(limited(t), c.of(late)); err == nil {
		t.Error("a node with copies of the old log is let in")
	}
}
