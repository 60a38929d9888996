package pebblestore

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// replayedQueues reads all queues of a log.
func replayedQueues(t testing.TB, l storage.Log) (all []*storage.Queue) {
	t.Helper()
	err := l.ReplayQueues(func(q *storage.Queue) error {
		all = append(all, q)
		return nil
	})
	if err != nil {
		t.Fatalf("replay of queues: %v", err)
	}
	return all
}

func sameQueue(a, b *storage.Queue) bool { return reflect.DeepEqual(a, b) }

// Where a part of many queues cannot be read, the others are saved, and it is said that
// some may be missing.
func TestSalvageOfDamagedQueues(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	want := make(map[string]*storage.Queue)
	r := rand.New(rand.NewSource(3))
	for n := range 5000 {
		q := storagetest.RandomQueue(r, fmt.Sprint("service-with-a-long-name-", n))
		q.First = fmt.Sprintf("%x", r.Uint64()) // so that a block is not full of the same
		want[q.Tube] = q
		l.PutQueue(q)
	}
	all := []storagetest.Stored{storagetest.RandomJob(r, 1, "t"), storagetest.RandomJob(r, 2, "t")}
	for i := range all {
		put(l, &all[i])
	}
	mustCommit(t, l)
	must.Do(t, s.Close())
	s = noTicks(small(fs, storage.Always)) // a log that was replayed is removed
	l = mustOpen(t, s, 1)[0].(*shardLog)
	must.Do(t, errors.Join(l.compact(), s.Close()))
	for _, slot := range disktest.Look(t, fs, "data", repair.SlotSuffix) { // or the queues would be found there
		disktest.Write(t, fs, slot, strings.Repeat("\x00", len(disktest.Read(t, fs, slot))))
	}
	tables := disktest.Look(t, fs, "data", ".sst")
	path := slices.MaxFunc(tables, func(a, b string) int { return len(disktest.Read(t, fs, a)) - len(disktest.Read(t, fs, b)) })
	whole := disktest.Read(t, fs, path)
	for _, at := range []int{0, len(whole) / 4, len(whole) / 2} {
		disktest.Write(t, fs, path, whole[:at]+"damage"+whole[at+6:])
		found, queues, result := salvagedAll(t, fs)
		storagetest.SameJobs(t, storagetest.InOrder(valuesOf(found)), storagetest.InOrder(slices.Clone(all)))
		for tube, q := range queues {
			if !reflect.DeepEqual(q, want[tube]) {
				t.Errorf("damage at %d: %+v, want %+v", at, q, want[tube])
			}
		}
		if n := len(queues); n < len(want)*4/5 || n == len(want) || !result.QueuesInDoubt || result.UnknownIDs != 0 || !strings.Contains(result.Damaged[0], path) || at > 0 && len(result.Damaged) != 1 {
			t.Errorf("damage at %d: %d of %d queues, %+v", at, n, len(want), result)
		}
	}
}

// What lives is counted with its tags, and nothing is left of a job that was moved.
func TestLiveBytesOfItems(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	j := storage.Job{ID: 1, Tube: "q", State: storage.Ready, Item: &storage.Item{Tags: []byte("some tags")}}
	plain := storage.Job{ID: 2, Tube: "q", State: storage.Ready}
	l.Put(&plain)
	one := l.Stats().Live
	l.Put(&j)
	if got := l.Stats().Live; got != 2*one+uint64(len(j.Item.Tags)) {
		t.Errorf("%d bytes live, and %d without tags", got, one)
	}
	j.Tube, j.Item.Moved, j.Updated = "q;rear", true, true
	l.Update(&j)
	mustCommit(t, l)
	before := l.Stats().Live
	must.Do(t, s.Close())
	s, l = openOne(t, fs)
	if replayed(t, l); l.Stats().Live != before {
		t.Errorf("%d bytes live, %d before the restart", l.Stats().Live, before)
	}
	l.Delete(&j)
	l.Delete(&plain)
	mustCommit(t, l)
	if got := l.Stats().Live; got != 0 {
		t.Errorf("%d bytes are left of nothing", got)
	}
	must.Do(t, s.Close())
}
