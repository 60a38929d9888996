package router

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
	"beanfield/storage/pebblestore/powercut"
)

// tickTubes are the schedules, each with its tube.
var tickTubes = map[string]string{"s0": "default", "s1": "a", "s2": "b", "s3": "b"}

// ticked opens a router on a disk, and finds each schedule's last tick and the jobs of exactly its ticks
// from 1 to that, whose priority is the tick.
func ticked(t *testing.T, seed uint64, disk *powercut.Disk, shards int) (r *Router, last map[string]int64) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{
		Dir: "data", FS: disk.FS(), Sync: storage.Always, SyncEvery: time.Hour, CacheBytes: 1 << 20, MaxOpenFiles: 100, Ballast: -1, MinFree: -1,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	r = must.Get(New(Options{Shards: shards, Store: store}))
	last = map[string]int64{}
	r.Ticks(func(tube string, k queue.Tick) {
		if tube != tickTubes[k.Schedule] {
			t.Errorf("seed %d: %s is noted at %s", seed, k.Schedule, tube)
		}
		last[k.Schedule] = k.At
	})
	puts := map[string]int64{}
	for id := uint64(1); id <= r.ids.last.Load()+64; id++ {
		i, ok := r.Owner(id)
		if !ok {
			continue
		}
		b := &queue.Batch{Ops: []queue.Op{{Kind: queue.StatsJob, ID: id}}, Done: make(restartReply)}
		if !r.shards[i].Submit(b) {
			<-b.Done.(restartReply)
		}
		k := fmt.Sprint("s", b.Jobs[0].Pri>>24)
		if puts[k]++; int64(b.Jobs[0].Pri&(1<<24-1)) != puts[k] || b.Jobs[0].Tube != tickTubes[k] {
			t.Fatalf("seed %d: job %d of %s is for tick %d, after %d others", seed, id, k, b.Jobs[0].Pri&(1<<24-1), puts[k]-1)
		}
	}
	for k := range tickTubes {
		if puts[k] != last[k] {
			t.Fatalf("seed %d: %s has %d jobs, and %d is noted", seed, k, puts[k], last[k])
		}
	}
	return r, last
}

// SK1: whatever a power cut leaves, job and note of a tick are there, or neither is. What was acknowledged is
// there, and no tick is put again.
func TestTicksAndPowerCuts(t *testing.T) {
	runs := uint64(30)
	if testing.Short() || raced {
		runs = 10
	}
	for seed := range runs {
		dice := rand.New(rand.NewPCG(seed, 7))
		disk, safe := powercut.NewDisk(), map[string]int64{}
		for range 6 {
			r, last := ticked(t, seed, disk, 3)
			for k, at := range safe {
				if last[k] < at {
					t.Fatalf("seed %d: tick %d of %s was acknowledged, and %d is noted", seed, at, k, last[k])
				}
			}
			tick := func() (k string, fresh bool, b *queue.Batch) {
				n := dice.IntN(len(tickTubes))
				k = fmt.Sprint("s", n)
				at := max(1, last[k]+1-int64(dice.IntN(4)/3)) // now and then one that was put
				fresh = at > last[k]
				op := queue.Op{Kind: queue.PutTick, Tube: tickTubes[k], TTR: 9, Pri: uint32(n)<<24 | uint32(at), Tick: &queue.Tick{Schedule: k, At: at}}
				op.Take(make([]byte, dice.IntN(100)*dice.IntN(100)))
				last[k] = max(last[k], at)
				return k, fresh, &queue.Batch{Ops: []queue.Op{op}, Done: make(restartReply)}
			}
			for range dice.IntN(20) {
				k, fresh, b := tick()
				op := &b.Ops[0]
				if r.Tick(op); op.Status != queue.OK || (op.Count == 1) != fresh {
					t.Fatalf("seed %d: tick %d of %s is answered %d, %d put", seed, op.Tick.At, k, op.Status, op.Count)
				}
				safe[k] = last[k]
			}
			disk.Hold()
			var flying []*queue.Batch
			for range dice.IntN(8) {
				_, _, b := tick()
				if !r.shards[r.TubeShard([]byte(b.Ops[0].Tube))].Submit(b) {
					flying = append(flying, b)
				}
			}
			cut := disk.Cut(dice.IntN(101), rand.New(rand.NewPCG(seed, 3)))
			disk.Release()
			for _, b := range flying {
				<-b.Done.(restartReply)
			}
			must.Do(t, r.Close())
			disk = cut
		}
	}
}
