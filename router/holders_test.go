package router

import (
	"beanfield/storage/must"
	"context"
	"testing"
)

// Who holds jobs in any shard is told of, with how many; nobody else is.
func TestHolders(t *testing.T) {
	r := newRouterOf(2)
	p, idle := newClient(r), newClient(r)
	const holders = 2*holdersShare + 5 // more than a shard tells of at a time
	want := map[any]int{}
	var all []*client
	for i := range holders {
		c := newClient(r, "a", "b", "c", "d")
		all = append(all, c)
		for k := range i%3 + 1 {
			p.use([]string{"a", "b", "c", "d"}[(i+k)%4])
			p.put(1, 60)
			if _, ok := c.reserve(nil); !ok {
				t.Fatal("no job is reserved")
			}
		}
		want[&c.Caller] = i%3 + 1
	}
	idle.Finish(idle.Watch([]byte("e"))) // it has held a job, and does no more
	p.use("e")
	p.put(1, 60)
	if id, ok := idle.reserve(nil); !ok || !idle.delete(id) {
		t.Fatal("no job is reserved and deleted")
	}
	gone := all[0]
	gone.close() // and its jobs are ready again
	delete(want, &gone.Caller)
	held := map[any]int{}
	for i := range r.Shards() {
		if !r.Holders(t.Context(), i, held) {
			t.Fatal("a shard is not asked")
		}
	}
	if len(held) != len(want) || held[&idle.Caller] != 0 {
		t.Errorf("%d clients hold jobs, want %d", len(held), len(want))
	}
	for c, n := range want {
		if held[c] != n {
			t.Fatalf("a client holds %d jobs, want %d", held[c], n)
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	r.Holders(over, 0, map[any]int{}) // and nothing is written to the map later: the race detector knows
	for _, c := range append(all[1:], p, idle) {
		c.close()
	}
	must.Do(t, r.Close())
}
