package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/faults/workload"
	"beanfield/tools/marked"
	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "faults-test-")
	if err != nil {
		return "", err
	}
	return server.Beanfield(context.Background(), dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// alone is a short run with one server without others.
func alone(t *testing.T, only string) (options, *bytes.Buffer) {
	out := new(bytes.Buffer)
	return options{seed: 7, faults: 3, within: 5 * time.Minute, only: only, nodes: 1,
		dir: t.TempDir(), binary: must.Get(built()), out: out, scale: 0.02}, out
}

// One server keeps what it has acknowledged.
func TestOneServer(t *testing.T) {
	o, out := alone(t, "kill,stop,restart")
	if err := run(t.Context(), o); err != nil || !strings.Contains(out.String(), "nothing was lost") {
		t.Errorf("%v: %s", err, out)
	}
}

// A server that loses its disk, and has no others, breaks its promises: the whole tool sees it.
func TestLossIsFound(t *testing.T) {
	o, out := alone(t, "")
	defer func(all []harm) { harms = all }(harms)
	harms = []harm{{name: "lost-disk", weight: 1, alone: true, do: loseDisk}}
	err := run(t.Context(), o)
	if err == nil {
		t.Fatalf("nothing is found: %s", out)
	}
	for _, rule := range []string{"FR2", "FR3"} {
		if !strings.Contains(err.Error(), "\n"+rule+": ") {
			t.Errorf("no break of %s in %v", rule, err)
		}
	}
}

// FL1, FL2, FL4 and FL5: a server that answers no more, one that ends though nobody harmed it, a change without an end,
// and clients without service though a majority is well.
func TestServersThatFail(t *testing.T) {
	defer func(all []harm) { harms = all }(harms)
	for name, do := range map[string]func(context.Context, *campaign, *nodes.Node) error{
		"FL1": func(_ context.Context, c *campaign, n *nodes.Node) error {
			c.within = 100 * time.Millisecond
			return n.Pause()
		},
		"FL2": func(_ context.Context, _ *campaign, n *nodes.Node) error {
			return syscall.Kill(n.PID(), syscall.SIGKILL)
		},
		"FL4": func(ctx context.Context, c *campaign, n *nodes.Node) error {
			c.within = 100 * time.Millisecond
			return c.until(ctx, n, nil) // there is no other node that could say anything
		},
		"FL5": func(_ context.Context, c *campaign, _ *nodes.Node) error {
			c.gap = time.Minute
			c.ledger.Well(2 * c.gap)
			return nil
		},
	} {
		o, out := alone(t, "")
		harms = []harm{{name: "fails", weight: 1, alone: true, do: do}}
		if err := run(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not found: %v: %s", name, err, out)
		}
	}
}

// Who could serve together: nodes that all reach each other.
func TestMajority(t *testing.T) {
	o, _ := alone(t, "")
	c := &campaign{cluster: must.Get(nodes.New(nodes.Options{Binary: o.binary, Dir: o.dir, Proxied: true}))}
	defer c.cluster.Close()
	w, all := c.cluster.Network, c.cluster.Nodes
	for _, step := range []struct {
		do   func()
		most int
	}{
		{func() {}, 3},
		{func() { w.Hold("b", "a") }, 2},
		{func() { w.Slow("c", "a", time.Second) }, 2},
		{func() { w.Refuse("b", "c") }, 1},
		{func() { w.Heal(true) }, 3},
		{func() { w.Isolate("b") }, 2},
	} {
		step.do()
		for n := range len(all) + 2 {
			if got := c.agree(nil, all, n); got != (n <= step.most) {
				t.Errorf("%d of three, of which %d could: %v", n, step.most, got)
			}
		}
	}
	w.Heal(true)
	c.well = map[*nodes.Node]int64{all[0]: 1, all[1]: 1}
	if !c.most(all) || c.most(all[1:]) {
		t.Error("two of three are no majority, or one of two is")
	}
}

// FL3: what a server shows of its jobs, and where another one differs.
func TestSurvey(t *testing.T) {
	o, _ := alone(t, "")
	c := must.Get(nodes.New(nodes.Options{Binary: o.binary, Dir: o.dir, Names: []string{"a"}}))
	defer c.Close()
	must.Do(t, c.Start())
	n := must.Get(c.Serving(t.Context()))
	k := must.Get(n.Dial(t.Context(), time.Minute))
	defer k.HangUp()
	must.Get(k.Exchange("put 5 0 60 40\r\n"+string(marked.Body(7, 40)), "put 5 100 60 40\r\n"+
		string(marked.Body(8, 40)), "put 0 0 60 1\r\nx"))
	s := &workload.Seeker{Hosts: []string{n.Client}, Patience: time.Minute, Serves: strconv.Itoa}
	first := must.Get(s.Look(t.Context(), []uint64{1, 2, 3, 4}))
	for id, want := range map[uint64]string{1: "token 7, 40 bytes", 2: "ready in default, pri 5", 3: "damaged",
		4: "NOT_FOUND"} {
		if !strings.Contains(first[id], want) {
			t.Errorf("job %d: %s", id, first[id])
		}
	}
	must.Get(k.Exchange("delete 2"))
	second := must.Get(s.Look(t.Context(), []uint64{1, 2, 3, 4}))
	if d := first.Differs(second); len(d) != 1 || !strings.HasPrefix(d[0], "job 2: ready") {
		t.Errorf("%q", d)
	}
}

// The same seed gives the same harms.
func TestSchedule(t *testing.T) {
	draws := func(seed uint64, only string) (names []string) {
		c := &campaign{options: options{nodes: 3, only: only},
			dice: rand.New(rand.NewPCG(seed, 0))}
		list := must.Get(c.choice())
		for n := range 300 {
			h := c.pick(n, list)
			if only == "" && h.changes != (n%4 == 2) {
				t.Errorf("harm %d is %s", n, h.name)
			}
			names = append(names, h.name)
		}
		return names
	}
	first := strings.Join(draws(1, ""), " ")
	if first != strings.Join(draws(1, ""), " ") || first == strings.Join(draws(2, ""), " ") {
		t.Error("the seed does not decide")
	}
	for _, h := range harms {
		if !strings.Contains(first, h.name) {
			t.Errorf("%s is never drawn", h.name)
		}
	}
	if rest := strings.Trim(strings.Join(draws(1, "cut,move"), ""), "cutmove"); rest != "" {
		t.Errorf("%q beside what was asked for", rest)
	}
	if _, err := (&campaign{options: options{nodes: 1, only: "kill,cut"}}).choice(); err == nil {
		t.Error("a server without others has its links cut")
	}
}

func TestFlip(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte{'x'}, 1000)
	for _, name := range []string{"a.blk", "b.blk", "c.idx"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	blocks := func(name string) bool { return strings.HasSuffix(name, ".blk") }
	changed := 0
	for seed := range uint64(8) {
		must.Get(flipBit(rand.New(rand.NewPCG(seed, 0)), dir, blocks))
	}
	for _, name := range []string{"a.blk", "b.blk", "c.idx"} {
		now := must.Get(os.ReadFile(filepath.Join(dir, name)))
		for i := range now {
			if now[i] == text[i] {
				continue
			}
			if changed++; !blocks(name) {
				t.Errorf("%s is changed", name)
			}
		}
	}
	if changed != 8 {
		t.Errorf("%d bytes are changed, want 8", changed)
	}
	if what := must.Get(flipBit(rand.New(rand.NewPCG(1, 0)), dir, func(string) bool {
		return false
	})); !strings.Contains(what, "no file") {
		t.Error(what)
	}
}

// A disk without room for longer files has writes fail.
func TestFullDisk(t *testing.T) {
	c := must.Get(nodes.New(nodes.Options{Binary: must.Get(built()), Dir: t.TempDir(), Names: []string{"a"}}))
	defer c.Close()
	must.Do(t, c.Start())
	n := must.Get(c.Serving(t.Context()))
	must.Do(t, n.LimitFiles(1))
	k := must.Get(n.Dial(t.Context(), time.Minute))
	defer k.HangUp()
	if r, err := k.Put("put 0 0 60 5", []byte("hello")); err == nil && r.Word == "INSERTED" {
		t.Errorf("%q, though nothing can be written", r.Line)
	}
}
