package router

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// tickTubes are the schedules, each with its tube.
var tickTubes = map[string]string{"s0": "default", "s1": "a", "s2": "b", "s3": "b"}

// ticked opens a router on what a crash has left, and finds each schedule's last tick, and the jobs of exactly its
// ticks from 1 to that, whose priority is the tick.
func ticked(t *testing.T, left *cutStore, first int) (last map[string]int64) {
	t.Helper()
	r := must.Get(New(Options{Shards: len(left.logs), Store: left}))
	last = map[string]int64{}
	r.Ticks(func(tube string, k queue.Tick) {
		if tube != tickTubes[k.Schedule] {
			t.Errorf("after %d turns %s is noted at %s", first, k.Schedule, tube)
		}
		last[k.Schedule] = k.At
	})
	puts := map[string]int64{}
	for id := uint64(1); id <= r.ids.last.Load(); id++ {
		i, ok := r.Owner(id)
		if !ok {
			continue
		}
		b := &queue.Batch{Ops: []queue.Op{{Kind: queue.StatsJob, ID: id}}}
		roads{r}.Apply(i, b)
		job := b.Jobs[0]
		k := fmt.Sprint("s", job.Pri>>24)
		if puts[k]++; int64(job.Pri&(1<<24-1)) != puts[k] || job.Tube != tickTubes[k] {
			t.Fatalf("after %d turns job %d of %s is for tick %d, after %d others", first, id, k, job.Pri&(1<<24-1),
				puts[k]-1)
		}
	}
	for k := range tickTubes {
		if puts[k] != last[k] {
			t.Fatalf("after %d turns %s has %d jobs, and %d is noted", first, k, puts[k], last[k])
		}
	}
	must.Do(t, r.Close())
	return last
}

// SK1: whatever turn a crash comes after, job and note of a tick are there, or neither is. What was acknowledged is
// there, and no tick is put again.
func TestTicksSurviveCrashes(t *testing.T) {
	store, dice := newCutStore(3), rand.New(rand.NewPCG(1, 7))
	r := must.Get(New(Options{Shards: 3, Store: store}))
	last := map[string]int64{}
	safe := map[int]map[string]int64{} // what was acknowledged after so many turns
	for range 200 {
		n := dice.IntN(len(tickTubes))
		k := fmt.Sprint("s", n)
		at := max(1, last[k]+1-int64(dice.IntN(4)/3)) // now and then one that was put
		op := queue.Op{Kind: queue.PutTick, Tube: tickTubes[k], TTR: 9, Pri: uint32(n)<<24 | uint32(at),
			Options: &queue.Options{Tick: &queue.Tick{Schedule: k, At: at}}}
		op.Take(make([]byte, dice.IntN(100)*dice.IntN(100)))
		if r.Tick(&op); op.Status != queue.OK || (op.Count == 1) != (at > last[k]) {
			t.Fatalf("tick %d of %s is answered %d, %d put", at, k, op.Status, op.Count)
		}
		last[k] = max(last[k], at)
		safe[store.count()] = maps.Clone(last)
	}
	must.Do(t, r.Close())
	for first := range len(store.turns) + 1 {
		found := ticked(t, store.cut(first, nil), first)
		for k, at := range safe[first] {
			if found[k] < at {
				t.Errorf("after %d turns tick %d of %s is noted, and %d was acknowledged", first, found[k], k, at)
			}
		}
	}
}
