package cluster

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/cluster/partition"
	"beanfield/storage/jetstream"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// CN5, CN6 and P8 on the real engine, and K7: the owner's machine is lost; another node serves, with what
// counts; and nothing is purged that the lost one lacks.
func TestOwnerIsLost(t *testing.T) {
	c := newTrio(t)
	name, _, _ := c.three()
	c.steered(name)
	st := c.nodes[name].Look(limited(t))
	for _, s := range st.Shards {
		if l := s.Lanes; l[0].Leader == name || l[0].Leader == "" || l[0].Bytes*l[1].Bytes == 0 || l[1].Leader == "" {
			t.Errorf("the lanes of shard %d are told to be %+v", s.Shard, l)
		}
	}
	at := time.Now()
	c.kill(name)
	next, term := c.owner()
	t.Logf("node %s serves %v after node %s was lost", next, time.Since(at), name)
	until(t, "it is told who took over", func() bool {
		all := c.nodes[next].Status().Takeovers
		last := all[len(all)-1]
		return last.Owner == next && last.Nobody > 0 && all[0].Owner == name
	})
	c.append(term, "two;", next)
	t.Logf("and appends after %v", time.Since(at))
	if trim := c.nodes[next].Status().Shards[0].Trim; trim != 0 {
		t.Error("CN5: purged up to", trim, "though a node has not been heard in this term")
	}
	c.start(name)
	c.append(term, "three;", "a", "b", "c")
	until(t, "what all have is purged", func() bool {
		s := c.nodes[next].Status().Shards[1]
		return s.Place >= 3 && s.Trim == s.Place // one more for each turn that the owner has shown a blank node (P12)
	})

	must.Do(t, c.nodes[name].Close(limited(t)))
	until(t, "it is known to have stopped", func() bool {
		stopped := func(n NodeStatus) bool { return n.Name == name && !n.Alive && n.Role == Stopped }
		return slices.ContainsFunc(c.nodes[next].Status().Nodes, stopped)
	})
	c.kill(name)
	for what, change := range map[string]func(o *Options){
		"another number of shards": func(o *Options) { o.Shards = 3 },
		"another log's store": func(o *Options) {
			o.Open = func(Opening) (Copies, error) { return &memory{places: make([]turns.Place, 2)}, nil }
		},
		"fewer shards in the store": func(o *Options) {
			o.Open = func(o Opening) (Copies, error) { return &memory{places: o.Origins[:1]}, nil }
		},
	} {
		o := c.of(name)
		change(&o)
		if n, err := Start(limited(t), o); !errors.Is(err, ErrRefused) && !errors.Is(err, jetstream.ErrStream) {
			t.Errorf("CN6: %s: node %v, error %v", what, n, err)
		}
	}
}

// steered waits until no lane is led by the owner's machine.
func (c *trio) steered(owner string) {
	c.Helper()
	n := c.nodes[owner]
	until(c.TB, "the lanes are led by other machines", func() bool {
		for _, r := range n.replicas {
			if lane, _, err := r.shard.Astray(limited(c.TB), owner, []string{"a", "b", "c"}, 0); err != nil ||
				lane >= 0 {
				return false
			}
		}
		return true
	})
}

// fit waits until nodes could own the shards.
func (c *trio) fit(names ...string) {
	c.Helper()
	until(c.TB, "the nodes can own the shards", func() bool {
		for _, node := range c.nodes[names[0]].Status().Nodes {
			if slices.Contains(names, node.Name) && !node.Fit {
				return false
			}
		}
		return true
	})
}

// A hand-over in order, again and again.
func TestHandOver(t *testing.T) {
	c := newTrio(t)
	name, term, _ := c.three()
	for _, to := range []string{"b", "c", "a", "c", "b", "a"} {
		c.append(term, "to "+to+";", "a", "b", "c")
		if to == name {
			continue
		}
		at := time.Now()
		must.Do(t, c.nodes["a"].Move(limited(t), to))
		moved := time.Since(at)
		name, term = c.owner()
		t.Logf("node %s serves after %v", name, moved)
		if name != to {
			t.Fatal("not node", to)
		}
	}
}

// An owner that is stopped hands over, though it leads a lane.
func TestOwnerStops(t *testing.T) {
	c := newTrio(t)
	name, _, _ := c.three()
	at := time.Now()
	must.Do(t, c.nodes[name].Close(limited(t)))
	closed := time.Since(at)
	delete(c.nodes, name)
	next, term := c.owner()
	t.Logf("node %s serves; node %s was closed after %v", next, name, closed)
	c.append(term, "two;", next)
}

// A node that has lost its promises votes again also where clients change nothing: the owner shows it
// an append of its own (P12).
func TestLostPromisesWithoutClients(t *testing.T) {
	c := newTrio(t)
	_, _, others := c.three()
	name := others[0]
	c.kill(name)
	path := filepath.Join(c.dirs[name], "promises")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	c.start(name)
	until(t, "node "+name+" promises something", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// An owner whose engine has failed hands over, and its process learns that it is to end. So does that of a
// follower.
func TestFailedEngine(t *testing.T) {
	c := newTrio(t)
	name, term, _ := c.three()
	n := c.nodes[name]
	must.Do(t, n.ask(func(time.Duration) { n.sound = func() error { return jetstream.ErrFailed } }))
	next := ""
	until(t, "another node serves", func() bool {
		next, term = c.owner()
		return next != name
	})
	c.append(term, "two;", next)
	if _, err := n.Term(limited(t)); !errors.Is(err, ErrFailed) || !errors.Is(err, jetstream.ErrFailed) {
		t.Error("the process hears", err)
	}
	if problems := n.Status().Problems; len(problems) == 0 {
		t.Error("its status says nothing of it")
	}
}

// mute acts send nothing.
type mute struct{ acts }

func (mute) Send(*ownership.Message) {}

// A duplicate that gives way stays unfit, and says why, whatever the copies say in the ticks that come after.
func TestFaultOfATwinStays(t *testing.T) {
	n := newNode(Options{Node: "a", Nodes: map[string]string{"a": ""}, Logger: slog.New(slog.DiscardHandler)})
	n.copies, n.watch = &memory{}, partition.New("a", []string{"a"})
	n.election = ownership.New(ownership.Config{Node: "a", Nodes: []string{"a"}, Acts: mute{acts{n}},
		Logger: n.o.Logger}, 0)
	n.giveWay(t.Context())
	for _, f := range n.mail {
		f(0)
	}
	for range 3 {
		n.tick()
		if r, _, _ := n.election.Told("a"); r.Fit || !strings.Contains(strings.Join(r.Problems, ""),
			"another process is node a") {
			t.Errorf("it says of itself %+v", r)
		}
	}
}
