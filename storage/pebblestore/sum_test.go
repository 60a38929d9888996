package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/effort"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/storagetest"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// unfolded is a node whose store stays empty, so that what it has is what its log says.
func unfolded(t *testing.T, log *kept) *node {
	n := &node{t: t, log: log, disk: vfs.NewMem(), dir: "unfolded"}
	o := n.options()
	o.copySlot, o.LogBytes = mib/2, 8*mib
	n.r = must.Get(OpenReplicas(o))
	t.Cleanup(n.close)
	return n
}

// sum is that of a node which takes records up to a number.
func (n *node) sum(number uint64) Sum {
	n.t.Helper()
	n.catchUp(number)
	s, err := n.r.Sum(n.t.Context(), 0, number)
	must.Do(n.t, err)
	return s
}

// Whoever has the same records has the same store: copies that fold and crash at different times, fetch each other's
// checkpoints, and have had any number of owners. They have equal sums at equal records: those of a copy that has
// folded nothing.
func TestSumsOfCopiesAreEqual(t *testing.T) {
	t.Parallel()
	seeds, all, told := int64(40), 0, 0
	if effort.Brief() {
		seeds = 5
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		log := &kept{origin: turns.Place{Origin: 77, Hash: uint64(seed % 2)}, most: []int{2_000, 6_000}[r.Intn(2)]}
		reference, members := unfolded(t, log), ""
		nodes := []*node{newNode(t, log), newNode(t, log), newNode(t, log)}
		h := newHistory(r)
		h.large = seed%4 == 1
		for range 6 {
			owner := nodes[r.Intn(len(nodes))]
			owner.catchUpAll()
			s, l := owner.serve()
			h.isIn(t, l, "seed ", seed)
			for range r.Intn(40) {
				h.some(t, l, 1)
				if r.Intn(20) == 0 {
					members = owner.setsMembers()
				}
				for _, n := range nodes {
					if r.Intn(3) == 0 {
						n.catchUpSome(r)
					}
				}
				at := uint64(len(log.records))
				if r.Intn(10) != 0 || at == 0 {
					continue
				}
				want := reference.sumOf(at, h.now())
				for _, n := range nodes {
					if all++; n.sumsUp(at, want) {
						told++
					}
					if got := string(n.r.Members(0)); got != members {
						t.Fatalf("seed %d, record %d: the nodes are %q, want %q", seed, at, got, members)
					}
				}
			}
			must.Do(t, s.Close())
			for _, n := range nodes {
				if r.Intn(3) == 0 {
					n.crash(r, r.Intn(101))
				}
			}
			if n := nodes[r.Intn(len(nodes))]; r.Intn(3) == 0 {
				n.fetch(nodes[r.Intn(len(nodes))])
			}
		}
		for _, n := range append(nodes, reference) {
			n.close()
		}
	}
	if 4*told < 3*all || told < 3 {
		t.Errorf("%d of %d sums", told, all)
	}
}

// setsMembers has the cluster decide something about its nodes.
func (n *node) setsMembers() string {
	members := fmt.Sprint("nodes ", len(n.log.records))
	n.catchUp(n.log.add(turns.AppendMembers(nil, []byte(members))))
	return members
}

// sumOf is that of a node which takes records up to a number, and has a state then.
func (n *node) sumOf(at uint64, now state) Sum {
	s := n.sum(at)
	if s.Jobs != len(now.jobs) || s.Queues != len(now.queues) || s.MaxID != now.maxID {
		n.t.Fatalf("%+v, of %d jobs, %d queues, highest id %d", s, len(now.jobs), len(now.queues), now.maxID)
	}
	return s
}

// sumsUp wants a sum of a node which takes records up to a number, unless that cannot be told any more.
func (n *node) sumsUp(at uint64, want Sum) (told bool) {
	n.t.Helper()
	n.catchUp(at)
	got, err := n.r.Sum(n.t.Context(), 0, at)
	if errors.Is(err, ErrPassed) {
		return false
	}
	if err != nil || got != want {
		n.t.Fatalf("record %d: %+v, %v, want %+v", at, got, err, want)
	}
	return true
}

// A sum waits for its record, also for the last part of turns that it is in, and a copy that is beyond
// says so.
func TestSumWaitsForItsRecord(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 100}
	n := newNode(t, log)
	reference := unfolded(t, log)
	var ends []uint64
	for id := range uint64(4) {
		j := largeJob(id+1, 250)
		record := append(format.AppendRecord(nil, &j.Job), j.Body...)
		key := format.Key(format.KeyRecord, j.ID)
		format.Seal(key[:], record)
		ends = append(ends, log.add(append(turns.AppendJob(nil, turns.Put, j.ID, len(record)), record...)))
	}
	type answer struct {
		sum Sum
		err error
	}
	come := make(chan answer)
	go func() {
		s, err := n.r.Sum(t.Context(), 0, ends[1]+1)
		come <- answer{s, err}
	}()
	for n.r.store.logs[0].copied.awaited.Load() == nil {
	}
	n.catchUp(ends[2])
	if got, want := <-come, reference.sum(ends[2]); got.err != nil || got.sum != want || got.sum.At != ends[2] ||
		got.sum.Jobs != 3 {
		t.Errorf("%+v, want %+v", got, want)
	}
	must.Do(t, n.r.Fold(0))
	for _, at := range []uint64{1, ends[1], ends[2] - 1} {
		if _, err := n.r.Sum(t.Context(), 0, at); !errors.Is(err, ErrPassed) || !strings.Contains(err.Error(),
			"shard-000") {
			t.Errorf("record %d: %v", at, err)
		}
	}
	if n.sum(ends[3]) != reference.sum(ends[3]) {
		t.Error("other sums after a fold")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.r.Sum(ctx, 0, ends[3]+1); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// What a share leaves out has its end behind the store's place: before that, the copy tells no sum.
func TestSumOfWhatHasEndedSince(t *testing.T) {
	n, s, l := owns(t, 10_000)
	log := n.log
	for id := range uint64(3) { // each in a slot of its own
		mustPut(t, l, largeJob(id+1, 6000))
		mustCommit(t, l)
	}
	l.Delete(&storage.Job{ID: 1, Tube: "t", Size: 6000})
	mustCommit(t, l)
	o := l.(*owned)
	must.Get(o.foldSlots(1))
	at := o.place.Number
	if at == 0 || at >= 3 {
		t.Fatalf("the store stands at %d", at)
	}
	if _, err := n.r.Sum(t.Context(), 0, at); !errors.Is(err, ErrPassed) {
		t.Errorf("job 1 is neither in the store nor in the log up to record %d: %v", at, err)
	}
	if got := n.sum(uint64(len(log.records))); got.Jobs != 2 {
		t.Errorf("%+v", got)
	}
	must.Do(t, s.Close())
}

// Whoever changes, adds or removes a job, an update, a queue or a piece of a body changes the sum.
func TestSumTellsWhatDiffers(t *testing.T) {
	n, s, l := owns(t, 1<<20)
	log := n.log
	small, large := largeJob(1, 10), largeJob(2, storage.LargeBody+1)
	mustPut(t, l, small)
	mustPut(t, l, large)
	l.Update(&small.Job)
	l.PutQueue(storagetest.RandomQueue(rand.New(rand.NewSource(1)), "q"))
	mustCommit(t, l)
	must.Do(t, s.Close())
	shard := n.r.store.logs[0]
	must.Do(t, shard.foldAll())
	at := uint64(len(log.records))
	whole := n.sum(at)
	piece := format.PieceKey(2, 1)
	record, update := format.Key(format.KeyRecord, 1), format.Key(format.KeyUpdate, 1)
	for what, key := range map[string][]byte{"record": record[:], "update": update[:], "queue": format.QueueKey("q"),
		"piece": piece[:]} {
		value, closer, err := shard.db.Get(key)
		must.Do(t, err)
		value = bytes.Clone(value)
		must.Do(t, closer.Close())
		other := bytes.Clone(value)
		other[len(other)-1] ^= 1
		format.Seal(key, other)
		must.Do(t, shard.db.Set(key, other, pebble.NoSync))
		if got := n.sum(at); got.Hash == whole.Hash || got.Bytes != whole.Bytes {
			t.Errorf("another %s: %+v, %+v", what, got, whole)
		}
		must.Do(t, shard.db.Delete(key, pebble.NoSync))
		if got := n.sum(at); got.Hash == whole.Hash || got.Bytes >= whole.Bytes {
			t.Errorf("no %s: %+v, %+v", what, got, whole)
		}
		must.Do(t, shard.db.Set(key, append(bytes.Clone(value[:len(value)-1]), value[len(value)-1]^1), pebble.NoSync))
		if _, err := n.r.Sum(t.Context(), 0, at); !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(),
			"shard-000") {
			t.Errorf("a damaged %s: %v", what, err)
		}
		must.Do(t, shard.db.Set(key, value, pebble.NoSync))
		if got := n.sum(at); got != whole {
			t.Errorf("the old %s again: %+v, %+v", what, got, whole)
		}
	}
}

// Who closes a copy, or puts a checkpoint in its place, does not wait for a sum that waits itself.
func TestSumEndsWithItsCopy(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 1000}
	n, other := newNode(t, log), newNode(t, log)
	log.add(turns.AppendRaise(nil, 1))
	n.catchUpAll()
	other.catchUpAll()
	for what, end := range map[string]func(){"replaced": func() { n.fetch(other) }, "closed": func() {
		n.close()
	}} {
		if what == "closed" {
			defer end()
			continue
		}
		ended := make(chan error)
		go func() {
			_, err := n.r.Sum(t.Context(), 0, 100)
			ended <- err
		}()
		for n.r.store.logs[0].copied.awaited.Load() == nil {
		}
		if _, err := n.r.Sum(t.Context(), 0, 1); !errors.Is(err, errSumming) {
			t.Errorf("a second one: %v", err)
		}
		end()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	n.sum(1)
}
