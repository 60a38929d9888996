package jetstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"beanfield/storage/must"
)

// town is several engines of one cluster, and where they all are.
type town struct {
	t    *testing.T
	at   map[string]string // of each node, those that are not there yet included
	dirs map[string]string
	is   map[string]*Server
	nc   *nats.Conn // the first one's
}

// build starts engines for some of the nodes, which have a majority.
func build(t *testing.T, nodes string, now string) *town {
	names := strings.Fields(nodes)
	w := &town{t: t, at: addresses(names...), dirs: map[string]string{}, is: map[string]*Server{}}
	begin := strings.Fields(now)
	for _, name := range begin {
		w.dirs[name] = t.TempDir()
		w.start(name, w.table(begin...))
	}
	for _, name := range begin {
		must.Do(t, w.is[name].Joined(limited(t)))
	}
	w.nc = must.Get(w.is[begin[0]].Connect())
	t.Cleanup(w.nc.Close)
	return w
}

func (w *town) table(names ...string) map[string]string {
	table := map[string]string{}
	for _, name := range names {
		table[name] = w.at[name]
	}
	return table
}

// start starts a node's engine. One that the others do not know of rests.
func (w *town) start(name string, table map[string]string) *Server {
	w.t.Helper()
	_, old := w.dirs[name]
	if !old {
		w.dirs[name] = w.t.TempDir()
	}
	s, err := Start(limited(w.t), Options{Dir: w.dirs[name], Cluster: "test", Node: name, Nodes: table, Secret: "s",
		Rests: !old})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(s.Stop)
	w.is[name] = s
	return s
}

// adjust has a shard's lanes be as they should be.
func (w *town) adjust(s *Shard, members string, replicas int) (steps []string) {
	w.t.Helper()
	until(w.t, "the lanes are at "+members, func() bool {
		todo, err := s.Adjust(limited(w.t), w.is["a"], strings.Fields(members), replicas, nil)
		if err != nil {
			todo = err.Error()
		}
		if todo != "" && (len(steps) == 0 || steps[len(steps)-1] != todo) {
			steps = append(steps, todo)
		}
		return todo == ""
	})
	for i := range 2 {
		info := must.Get(s.info(limited(w.t), i))
		var has []string
		for _, p := range info.peers() {
			has = append(has, p.Name)
		}
		slices.Sort(has)
		if want := strings.Fields(members); info.Config.Replicas != replicas || len(has) != replicas ||
			slices.ContainsFunc(has, func(name string) bool { return !slices.Contains(want, name) }) {
			w.t.Errorf("lane %d has %d replicas, at %q; after %q", i, info.Config.Replicas, has, steps)
		}
	}
	return steps
}

// put appends to both lanes, and tells how many records they have.
func (w *town) put(s *Shard) (has [2]uint64) {
	w.t.Helper()
	for i := range 2 {
		until(w.t, "an append", func() bool {
			m, err := w.nc.Request(s.subjects[i], make([]byte, 1000), mostDoubt)
			return err == nil && !strings.Contains(string(m.Data), "error")
		})
		has[i] = must.Get(s.info(limited(w.t), i)).State.Msgs
	}
	return has
}

// E12, E13: a node comes, one goes, one comes back at another address, and one dies and is removed, while the streams
// keep all that they have.
func TestNodesComeAndGo(t *testing.T) {
	needsEngine(t)
	w := build(t, "a b c d", "a b c")
	s := must.Get(Open(limited(t), w.nc, ShardOptions{Cluster: "test", Replicas: 3, Nodes: []string{"a", "b", "c"}}))
	w.put(s)
	if steps := w.adjust(s, "a b c", 3); steps != nil {
		t.Errorf("nothing is to be done, and %q was", steps)
	}

	d := w.start("d", w.at)
	for range 20 {
		if d.engine.Load().JetStreamEnabled() || len(w.peers("a")) != 3 {
			t.Fatalf("an engine that was not let in is one of %q", w.peers("a"))
		}
	}
	if !d.Is(limited(t), w.at["d"]) || d.Is(limited(t), w.at["a"]) || d.Is(limited(t), addresses("e")["e"]) {
		t.Error("it does not know itself")
	}
	for _, name := range strings.Fields("a b c") {
		must.Do(t, w.is[name].Route(w.at))
		must.Do(t, w.is[name].Route(w.at))
	}
	d.lines.out.Store(true) // what an earlier engine has heard does not concern the next one
	must.Do(t, d.WakeAs(limited(t), 1))
	must.Do(t, d.Failure())
	must.Do(t, d.Joined(limited(t)))
	must.Do(t, d.WakeAs(limited(t), 1))
	must.Do(t, d.Joined(limited(t)))
	w.adjust(s, "a c d~1", 3)
	b := w.is["b"]
	until(t, "the one that is to go leads", func() bool {
		group, err := b.group()
		if err == nil && group.Leader != "b" {
			_ = b.order(limited(t), "META.LEADER.STEPDOWN",
				map[string]any{"placement": map[string]string{"preferred": "b"}})
		}
		return err == nil && group.Leader == "b"
	})
	if todo, err := w.is["a"].Expel(limited(t), strings.Fields("a c d~1")); err != nil || !strings.Contains(todo,
		"to lead the group that makes streams no more") {
		t.Errorf("its leader is expelled: %q, %v", todo, err)
	}
	w.expel("a c d~1")
	until(t, "it hears of that", func() bool { return errors.Is(b.Failure(), ErrExpelled) })
	w.put(s)
	w.comesBack(s)
}

// comesBack goes on where one was removed: it is there again, and another one dies.
func (w *town) comesBack(s *Shard) {
	t := w.t
	w.is["b"].Stop()
	w.at["b"] = addresses("b")["b"]
	for _, name := range strings.Fields("a c d") {
		must.Do(t, w.is[name].Route(w.at))
	}
	b := w.start("b", w.at) // with its old directory: as if nobody had told it
	must.Do(t, b.Rest(limited(t)))
	must.Do(t, b.WakeAs(limited(t), 3))
	must.Do(t, b.Joined(limited(t)))
	if err := b.WakeAs(limited(t), 4); err == nil {
		t.Error("a member's engine throws away what it has")
	}
	w.adjust(s, "a b~3 c d~1", 4)
	b.Stop()
	b = w.start("b", w.at) // what has become of its membership is in its directory
	must.Do(t, b.Joined(limited(t)))
	w.adjust(s, "a b~3 c d~1", 4)

	w.is["c"].Stop() // nobody is there that could take its place
	until(t, "the others are well", func() bool {
		todo, err := s.Adjust(limited(t), w.is["a"], strings.Fields("a b~3 d~1"), 3, nil)
		return todo == "" && err == nil
	})
	w.expel("a b~3 d~1")
	w.adjust(s, "a b~3 d~1", 3)
	if has := w.put(s); has != [2]uint64{3, 3} {
		t.Errorf("the lanes have %d records", has)
	}
	for i := range 2 {
		if leader, _, _ := s.Leader(limited(t), i); leader != "d" {
			until(t, "it leads", func() bool {
				_ = s.Lead(limited(t), i, "d")
				leader, _, err := s.Leader(limited(t), i)
				return err == nil && leader == "d"
			})
		}
	}
}

func (w *town) expel(members string) {
	w.t.Helper()
	until(w.t, "others leave", func() bool {
		todo, err := w.is["a"].Expel(limited(w.t), strings.Fields(members))
		return todo == "" && err == nil
	})
	if peers := w.peers("a"); !slices.Equal(peers, strings.Fields(members)) {
		w.t.Errorf("the engine's group is %q", peers)
	}
}

// peers are those of the group that makes streams.
func (w *town) peers(at string) []string {
	info := must.Get(w.is[at].engine.Load().Jsz(nil))
	names := []string{EngineName(at, w.is[at].o.Load().Since)}
	for _, r := range info.Meta.Replicas {
		names = append(names, r.Name)
	}
	return slices.Sorted(slices.Values(names))
}

// Only who keeps a lane can lead it.
func TestWhoCouldLead(t *testing.T) {
	for _, c := range []struct{ lane, alive, want string }{
		{"3 a b c", "a b d", "a b"}, {"3 a b? c!", "", "a"}, {"3 a b? c!", "b", "b"}, {"3 a b~4 c", "b c", "b c"},
	} {
		d, alive := laneOf(t, c.lane), strings.Fields(c.alive)
		if c.alive == "" {
			alive = nil
		}
		if got := strings.Join(d.could(alive), " "); got != c.want {
			t.Errorf("of %s, where %s live: %s, not %s", c.lane, c.alive, got, c.want)
		}
	}
}

// A lane is not given to an engine that lacks something of it.
func TestReadyToLead(t *testing.T) {
	d := laneOf(t, "3 a b? c! d~4 e")
	for node, want := range map[string]string{"a": "", "b": "", "c": "", "d": "d~4", "e": "e", "f": ""} {
		if got := d.ready(node); got != want {
			t.Errorf("%s is to lead: %q does, not %q", node, got, want)
		}
	}
}

// E12: the latest membership that a directory knows of counts, and nothing is left of earlier ones.
func TestHomes(t *testing.T) {
	for _, c := range []struct {
		has, want string
		since, is uint64
	}{
		{"", "", 0, 0},
		{"jetstream", "jetstream", 0, 0},
		{"jetstream", "since-2", 2, 2},
		{"jetstream since-2 since-10", "since-10", 0, 10},
		{"since-2 since-10", "since-11", 11, 11},
		{"since-2 since-x", "since-2", 1, 2},
	} {
		o := Options{Dir: t.TempDir(), Since: c.since}
		for _, name := range strings.Fields(c.has) {
			must.Do(t, os.MkdirAll(filepath.Join(o.Dir, name, "streams"), 0o700))
		}
		must.Do(t, o.settle())
		var has []string
		for _, e := range must.Get(os.ReadDir(o.Dir)) {
			has = append(has, e.Name())
		}
		if strings.Join(has, " ") != c.want || o.Since != c.is || o.Since > 0 && filepath.Base(o.home()) != c.want {
			t.Errorf("with %q and since %d: %q and since %d", c.has, c.since, has, o.Since)
		}
	}
}

// The engine's own ids are what peers are known by whose names nobody has heard.
func TestPeersOfTheEngine(t *testing.T) {
	needsEngine(t)
	o := alone(t)
	o.Since = 7
	s, _ := started(t, o)
	if id := s.engine.Load().Node(); id != peerID("a~7") {
		t.Errorf("the engine calls it %s, and not %s", id, peerID("a~7"))
	}
}

// laneOf is a lane in a text: replicas, then peers, the leader first; ? is not current, ! offline, * what is under way.
func laneOf(t *testing.T, text string) (d description) {
	words := strings.Fields(text)
	fmt.Sscan(words[0], &d.Config.Replicas)
	for i, name := range words[1:] {
		if rest, ok := strings.CutPrefix(name, "*"); ok {
			must.Do(t, json.Unmarshal([]byte(`{"desired":{"status":{"description":"`+rest+`"}}}`), &d.Cluster))
			continue
		}
		p := peer{Current: true}
		p.Name = strings.TrimRight(name, "?!")
		p.ID, p.Current, p.Offline = peerID(p.Name), p.Name == name, strings.HasSuffix(name, "!")
		if i == 0 {
			d.Cluster.Leader = p.Name
		} else {
			d.Cluster.Replicas = append(d.Cluster.Replicas, p)
		}
	}
	return d
}

// E13, in each state of the lanes that makes a difference.
func TestPlan(t *testing.T) {
	lane := func(text string) description { return laneOf(t, text) }
	for _, c := range []struct{ lanes, members, want string }{
		{"3 a b c / 3 b a c", "3 a b c", ""},
		{"3 a b c / 3 b a c", "3 a b c d", ""},
		{"3 a b c / 3", "3 a b c", "1: lane 1 has no leader"},
		{"3 a b c *catchup / 3 b a c", "3 a b d", "0: lane 0 changes: catchup"},
		{"3 a b c / 3 b a c *catchup", "3 a b d", "1: lane 1 changes: catchup"},
		{"3 a b c / 3 b a? c", "3 a b c d", "1: lane 1 is not whole at a"},
		{"3 a b c / 3 b a c!", "3 a b d", "0: lane 0 is to leave c; evacuate c"},
		{"3 a b c! / 3 b a c!", "3 a b c d", "0: lane 0 is not whole at c"},
		{"3 a b c? / 3 b a c!", "2 a b", ""},
		{"3 c a b / 3 b a c!", "2 a b", "0: lane 0 is to be led by a; lead a"},
		{"3 a b / 3 b a", "2 a b", "0: lane 0 is to have 2 replicas, not 3; 2 replicas"},
		{"2 a b / 3 b a", "2 a b", "1: lane 1 is to have 2 replicas, not 3; 2 replicas"},
		{"3 a b c / 3 c a b", "3 b c d", "0: lane 0 is to be led by b; lead b"},
		{"3 a b c / 3 b a c", "3 b c d", "0: lane 0 is to be led by c; lead c"},
		{"3 a b b~4 / 3 b~4 a b", "3 a b~4 c", "0: lane 0 is to leave b; evacuate b"},
		{"3 a b c / 3 b a c", "5 a b c d e", "0: lane 0 is to have 4 replicas, not 3; 4 replicas"},
		{"5 a b c d e / 4 b a c d", "3 a b c d e", "0: lane 0 is to have 4 replicas, not 5; 4 replicas"},
		{"3 a b / 3 b a c", "3 a b c", "0: lane 0 has 2 of 3 replicas"},
		{"3 a b c / 3 b a c", "3", ""},
		{"3 n-1 n-2 n-3 / 3 n-2 n-1 n-3", "2", "0: lane 0 is to have 2 replicas, not 3; 2 replicas"},
	} {
		one, other, _ := strings.Cut(c.lanes, "/")
		words := strings.Fields(c.members)
		replicas, members := 0, words[1:]
		fmt.Sscan(words[0], &replicas)
		if len(members) == 0 {
			members = nil
		}
		got, of := "", [2]description{lane(one), lane(other)}
		for i := range of {
			if why := of[i].unsettled(staying(members), true); why != "" && got == "" {
				got = fmt.Sprintf("%d: lane %d %s", i, i, why)
			}
		}
		if next := plan(&of, members, replicas, 1); next.why != "" && got == "" {
			got = fmt.Sprintf("%d: %s", next.lane, next.why)
			switch {
			case next.lead != "":
				got += "; lead " + next.lead
			case next.evacuate != "":
				i := slices.IndexFunc(strings.Fields(c.lanes), func(name string) bool {
					return peerID(strings.TrimRight(name, "?!")) == next.evacuate
				})
				got += "; evacuate " + strings.TrimRight(strings.Fields(c.lanes)[i], "?!")
			case next.replicas > 0:
				got += fmt.Sprintf("; %d replicas", next.replicas)
			}
		}
		if got != c.want {
			t.Errorf("%s, members %s: %q, not %q", c.lanes, c.members, got, c.want)
		}
	}
}
