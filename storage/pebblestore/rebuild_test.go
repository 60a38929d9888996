package pebblestore

import (
	"math/rand"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// L2 at any time: a shard's state can be built anew from log and store while they run, in
// each mode, wherever the fold stands.
func TestReplayAgain(t *testing.T) {
	for _, mode := range []storage.SyncMode{storage.Always, storage.Interval, storage.Never} {
		r := rand.New(rand.NewSource(int64(mode)))
		s := noTicks(small(vfs.NewMem(), mode))
		l := mustOpen(t, s, 1)[0].(*shardLog)
		h := newHistory(r)
		h.large = true
		look(t, l) // the start's
		for range 30 {
			for range 1 + r.Intn(20) {
				h.turn(l)
				mustCommit(t, l)
			}
			foldSome(t, l, r.Intn(3))
			// A body is on its way while the state is built anew. Its job is put afterwards.
			body := largeJob(1<<40+uint64(h.turns()), storage.LargeBody+1)
			must.Do(t, stageBody(l, body.ID, []byte(body.Body)))
			got := look(t, l)
			got.maxID = h.maxIDs[h.turns()] // that of the opening
			if h.nth(h.turns(), got) < 0 {
				t.Fatalf("mode %d: %d jobs are not the state after turn %d", mode, len(got.jobs), h.turns())
			}
			l.Put(&body.Job)
			mustCommit(t, l)
			if text, err := l.Body(body.ID, nil); err != nil || string(text) != body.Body {
				t.Fatalf("%d bytes of its body, %v", len(text), err)
			}
			l.Delete(&body.Job)
			mustCommit(t, l)
		}
		must.Do(t, s.Close())
	}
}

// One shard's log and store are closed, and opened again, while another shard works.
func TestOneShardAlone(t *testing.T) {
	s := noTicks(small(vfs.NewMem(), storage.Always))
	logs := mustOpen(t, s, 2)
	other := newHistory(rand.New(rand.NewSource(1)))
	alone := newHistory(rand.New(rand.NewSource(2)))
	other.shard, alone.shard = "other", "alone"
	for range 5 {
		for range 20 {
			alone.turn(s.logs[1])
			mustCommit(t, s.logs[1])
		}
		must.Do(t, s.logs[1].close())
		for range 20 {
			other.turn(logs[0])
			mustCommit(t, logs[0])
		}
		must.Do(t, s.openLog(1, false))
		if got := look(t, s.logs[1]); alone.nth(alone.turns(), got) < 0 {
			t.Fatalf("%d jobs are not the state after turn %d", len(got.jobs), alone.turns())
		}
	}
	must.Do(t, s.Close())
}
