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

	"github.com/cockroachdb/pebble/v2/vfs"
)

// randomQueue makes what may be kept of a queue.
func randomQueue(r *rand.Rand, tube string) *storage.Queue {
	q := &storage.Queue{Tube: tube, Ended: r.Intn(4) == 0, Next: uint32(r.Intn(3))}
	if r.Intn(4) > 0 {
		q.First = strings.Repeat("first", r.Intn(5))
	}
	for range r.Intn(4) {
		v := storage.View{Number: q.Next, Name: fmt.Sprint("view ", q.Next), Start: r.Uint64()}
		if r.Intn(2) == 0 {
			v.Tags = []byte(strings.Repeat("tags", 1+r.Intn(5)))
		}
		q.Views = append(q.Views, v)
		q.Next += 1 + uint32(r.Intn(3))
	}
	return q
}

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

// sameQueues compares what was found with what is known, by the tubes' names.
func sameQueues(t testing.TB, got []*storage.Queue, want map[string]*storage.Queue) {
	t.Helper()
	names := make([]string, len(got))
	for i, q := range got {
		if names[i] = q.Tube; !reflect.DeepEqual(q, want[q.Tube]) {
			t.Errorf("queue %d is %+v, want %+v", i, q, want[q.Tube])
		}
	}
	if len(got) != len(want) || !slices.IsSorted(names) {
		t.Errorf("the queues are %q, want %d of them", names, len(want))
	}
}

// What was last recorded of each queue is there after a start, from the log file or from
// tables.
func TestQueuesAreReplayed(t *testing.T) {
	fs := vfs.NewMem()
	r := rand.New(rand.NewSource(7))
	want := make(map[string]*storage.Queue)
	for round := range 6 {
		s := noTicks(small(fs, storage.Always))
		l := mustOpen(t, s, 1)[0].(*shardLog)
		sameQueues(t, replayedQueues(t, l), want)
		for range 50 {
			tube := fmt.Sprint("queue ", r.Intn(30))
			if want[tube] != nil && r.Intn(3) == 0 {
				l.DeleteQueue(tube)
				delete(want, tube)
			} else {
				q := randomQueue(r, tube)
				l.PutQueue(q)
				want[tube] = q
			}
			if r.Intn(5) == 0 {
				mustCommit(t, l)
			}
		}
		mustCommit(t, l)
		if round == 3 {
			if err := l.compact(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A damaged queue is an error that names it, and so is one under another's name.
func TestDamagedQueues(t *testing.T) {
	q := &storage.Queue{Tube: "q", First: "g", Ended: true, Next: 9, Views: []storage.View{
		{Number: 2, Name: "v", Start: 1 << 63, Tags: []byte("t")}, {Number: 8, Name: "w"},
	}}
	key, value := queueKey(q.Tube), appendQueue(nil, q)
	seal(key, value)
	want := []byte{1, 0, 0, 0, 0, 1, 9, 1, 'g', 2,
		2, 1, 'v', 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1, 't', 8, 1, 'w', 0, 0}
	if copy(want[1:recordPrefix], value[1:]); !slices.Equal(value, want) {
		t.Errorf("the encoding is\n%x, should be\n%x", value, want)
	}
	if got, err := decodeQueue(key, value); err != nil || !reflect.DeepEqual(got, q) {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range value {
		v := slices.Clone(value)
		v[i] ^= 1 << (i % 8)
		kind := storage.ErrCorrupt
		if i == 0 {
			kind = ErrVersion
		}
		if _, err := decodeQueue(key, v); !errors.Is(err, kind) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
		if _, err := decodeQueue(key, value[:i]); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	for _, other := range [][]byte{queueKey("Q"), queueKey(""), nil, queueKey(strings.Repeat("q", storage.MaxName+1))} {
		if _, err := decodeQueue(other, value); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("under the key %.9q: %v", other, err)
		}
	}
}

// FuzzDecodeQueue feeds the decoder content with a right checksum. Nothing may panic, and
// what is read must come out again as it was.
func FuzzDecodeQueue(f *testing.F) {
	for seed := range int64(8) {
		q := randomQueue(rand.New(rand.NewSource(seed)), "q")
		f.Add(q.Tube, appendQueue(nil, q)[recordPrefix:])
	}
	f.Fuzz(func(t *testing.T, tube string, content []byte) {
		key, value := queueKey(tube), append([]byte{queueVersion, 0, 0, 0, 0}, content...)
		seal(key, value)
		q, err := decodeQueue(key, value)
		if err != nil {
			if !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		again := appendQueue(nil, q)
		seal(key, again)
		if other, err := decodeQueue(key, again); err != nil || !reflect.DeepEqual(other, q) {
			t.Errorf("%+v, %v; want %+v", other, err, q)
		}
	})
}

// Where a part of many queues cannot be read, the others are saved, and it is said that
// some may be missing.
func TestSalvageOfDamagedQueues(t *testing.T) {
	fs := vfs.NewMem()
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0].(*shardLog)
	want := make(map[string]*storage.Queue)
	r := rand.New(rand.NewSource(3))
	for n := range 5000 {
		q := randomQueue(r, fmt.Sprint("service-with-a-long-name-", n))
		q.First = fmt.Sprintf("%x", r.Uint64()) // so that a block is not full of the same
		want[q.Tube] = q
		l.PutQueue(q)
	}
	all := []stored{randomJob(r, 1, "t"), randomJob(r, 2, "t")}
	for i := range all {
		put(l, &all[i])
	}
	mustCommit(t, l)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = noTicks(small(fs, storage.Always)) // a log that was replayed is removed
	l = mustOpen(t, s, 1)[0].(*shardLog)
	if err := errors.Join(l.compact(), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, slot := range lookFor(t, fs, "data", slotSuffix) { // or the queues would be found there
		write(t, fs, slot, strings.Repeat("\x00", len(read(t, fs, slot))))
	}
	tables := lookFor(t, fs, "data", ".sst")
	path := slices.MaxFunc(tables, func(a, b string) int { return len(read(t, fs, a)) - len(read(t, fs, b)) })
	whole := read(t, fs, path)
	for _, at := range []int{0, len(whole) / 4, len(whole) / 2} {
		write(t, fs, path, whole[:at]+"damage"+whole[at+6:])
		found, queues, result := salvagedAll(t, fs)
		sameJobs(t, inOrder(valuesOf(found)), inOrder(slices.Clone(all)))
		for tube, q := range queues {
			if !sameQueue(q, want[tube]) {
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
	s := noTicks(small(fs, storage.Always))
	l := mustOpen(t, s, 1)[0]
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
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = noTicks(small(fs, storage.Always))
	l = mustOpen(t, s, 1)[0]
	if replayed(t, l); l.Stats().Live != before {
		t.Errorf("%d bytes live, %d before the restart", l.Stats().Live, before)
	}
	l.Delete(&j)
	l.Delete(&plain)
	mustCommit(t, l)
	if got := l.Stats().Live; got != 0 {
		t.Errorf("%d bytes are left of nothing", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
