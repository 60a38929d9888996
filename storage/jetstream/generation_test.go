package jetstream

import (
	"slices"
	"testing"

	"beanfield/storage/must"
)

// A stream's name tells its cluster and its generation, and no other cluster's stream is taken for one of this one.
func TestGenerationOfAStream(t *testing.T) {
	for name, want := range map[string]struct {
		generation int
		first, ok  bool
	}{
		"beanfield-x-0-0": {0, true, true}, "beanfield-x-1-0": {0, false, true}, "beanfield-x+12-0-0": {12, true, true},
		"beanfield-x+2-31-1": {2, false, true}, "beanfield-x-0-0-0": {}, "beanfield-x-y-0-0": {},
		"beanfield-xy-0-0":  {},
		"beanfield-x+0-0-0": {}, "beanfield-x+a-0-0": {}, "beanfield-x-00-0": {}, "other": {},
	} {
		if g, first, ok := generationOf("x", name); ok != want.ok || ok && (g != want.generation ||
			first != want.first) {
			t.Errorf("%s: generation %d, first %v, %v", name, g, first, ok)
		}
	}
}

// Each generation has streams of its own. The newest one is found, and those before it go.
func TestNewestGeneration(t *testing.T) {
	needsEngine(t)
	s := must.Get(Start(limited(t), Options{Dir: t.TempDir(), Cluster: "x", Node: "a", Nodes: addresses("a"),
		Secret: "s"}))
	t.Cleanup(s.Stop)
	must.Do(t, s.Joined(limited(t)))
	nc := must.Get(s.Connect())
	t.Cleanup(nc.Close)
	for g, before := range [][]string{nil, {"beanfield-x-0-0", "beanfield-x-0-1"},
		{"beanfield-x-0-0", "beanfield-x-0-1",
			"beanfield-x+1-0-0", "beanfield-x+1-0-1"}} {
		for _, cluster := range []string{"x", "x-y"} {
			must.Get(Open(limited(t), nc, ShardOptions{Cluster: cluster, Generation: g, Replicas: 1,
				Nodes: []string{"a"}}))
		}
		newest, older, err := Newest(limited(t), nc, "x")
		must.Do(t, err)
		if slices.Sort(older); newest != g || !slices.Equal(older, slices.Sorted(slices.Values(before))) {
			t.Errorf("the newest is %d, not %d; older: %q, not %q", newest, g, older, before)
		}
	}
	for range 2 {
		must.Do(t, Remove(limited(t), nc, []string{"beanfield-x-0-0", "beanfield-x-0-1", "beanfield-x+1-0-0",
			"beanfield-x+1-0-1"}))
	}
	if newest, older, err := Newest(limited(t), nc, "x"); newest != 2 || len(older) > 0 || err != nil {
		t.Errorf("then the newest is %d, older: %q, %v", newest, older, err)
	}
}
