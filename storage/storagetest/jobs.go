package storagetest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
)

// Stored is a job with its body, as a test knows it.
type Stored struct {
	storage.Job
	Body string
}

func (s Stored) String() string {
	return fmt.Sprintf("%+v %.20q item %+v", s.Job, s.Body, s.Item)
}

// Keep copies what a replay gives.
func Keep(j *storage.Job, body []byte) Stored {
	s := Stored{*j, string(body)}
	s.Item = j.Item.Clone()
	return s
}

func (s Stored) Same(other Stored) bool {
	a, b := s.Item, other.Item
	s.Item, other.Item = nil, nil
	return s == other && reflect.DeepEqual(a, b)
}

// InOrder sorts jobs as Replay must deliver them.
func InOrder(jobs []Stored) []Stored {
	rank := func(s Stored) uint64 {
		if s.State == storage.Buried {
			return s.BuryRank
		}
		return 0
	}
	slices.SortFunc(jobs, func(a, b Stored) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	return jobs
}

func SameJobs(t testing.TB, got, want []Stored) {
	t.Helper()
	if slices.EqualFunc(got, want, Stored.Same) {
		return
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("job %d of %d is missing: %v", i, len(want), want[i])
		case i >= len(want):
			t.Fatalf("job %d of %d is too much: %v", i, len(got), got[i])
		case !got[i].Same(want[i]):
			t.Fatalf("job %d differs:\n got %v\nwant %v", i, got[i], want[i])
		}
	}
}

// RandomJob makes a new job with every field set to something.
func RandomJob(r *rand.Rand, id uint64, tube string) Stored {
	s := Stored{Job: storage.Job{
		ID: id, Tube: tube, State: storage.Ready, Pri: r.Uint32(), TTR: r.Uint32(),
		Created: r.Int63(),
	}}
	if r.Intn(3) == 0 {
		s.State, s.Delay, s.Deadline = storage.Delayed, r.Uint32(), r.Int63()
	}
	n := r.Intn(300)
	if r.Intn(50) == 0 {
		n = r.Intn(20000)
	}
	s.Fill(n)
	if r.Intn(3) == 0 {
		s.Item = &storage.Item{Tags: bytes.Repeat([]byte("tag"), 1+r.Intn(40))}
	}
	if r.Intn(5) == 0 {
		randomOptions(r, &s)
	}
	if r.Intn(8) == 0 {
		randomKeys(r, &s)
	}
	return s
}

// item gives a job an item of its own: a test may have kept the job as it was.
func (s *Stored) item() *storage.Item {
	if s.Item = s.Item.Clone(); s.Item == nil {
		s.Item = new(storage.Item)
	}
	return s.Item
}

// randomOptions gives a job options, a route, or both.
func randomOptions(r *rand.Rand, s *Stored) {
	i := s.item()
	if which := 1 + r.Intn(3); which&1 != 0 {
		i.Options = &storage.PutOptions{TTR: r.Int63(), Expires: r.Int63(), Deliveries: r.Uint32()}
		if which == 1 {
			i.Route = nil
		}
	} else {
		i.Route = &storage.Route{To: strings.Repeat("to", r.Intn(3)), Traces: bytes.Repeat([]byte("trace"), r.Intn(3))}
		if len(i.Route.Traces) == 0 {
			i.Route.Traces = nil
		}
	}
	if r.Intn(4) == 0 {
		i.Since = r.Uint64() | 1
	}
}

// randomKeys gives a new job keys, or makes it what is left of one that has ended.
func randomKeys(r *rand.Rand, s *Stored) {
	i := s.item()
	i.Keys = &storage.Keys{Key: bytes.Repeat([]byte("key"), 1+r.Intn(8)), KeyUntil: r.Int63()}
	if r.Intn(2) == 0 {
		i.Keys.Once, i.Keys.OnceUntil = bytes.Repeat([]byte("once"), 1+r.Intn(8)), r.Int63()
	}
}

// randomItem changes a job as the queue service does.
func randomItem(r *rand.Rand, s *Stored) {
	i := s.item()
	if i.Rebalances++; r.Intn(3) == 0 {
		i.Fate, i.Note = uint8(r.Intn(4)), []byte("why")
	}
	if r.Intn(3) == 0 {
		i.Done = append(i.Done, r.Uint32())
		i.Returned = append(i.Returned, storage.Returned{View: r.Uint32(), Times: r.Uint32()})
	}
	if r.Intn(3) == 0 && !i.Moved {
		i.Moved = true
		s.Tube += storage.RearSuffix
	}
	if s.State == storage.Ready && r.Intn(3) == 0 {
		s.State = storage.Passed
	}
}

// Fill gives a job a body of about n bytes.
func (s *Stored) Fill(n int) {
	s.Body = string(bytes.Repeat([]byte{byte(s.ID), byte(n)}, n/2))
	s.Size = uint32(len(s.Body))
}

// RandomUpdate changes a job as release, bury and kick do.
func RandomUpdate(r *rand.Rand, s *Stored, rank *uint64) {
	s.Updated = true
	s.Reserves += uint32(r.Intn(3))
	s.Timeouts += uint32(r.Intn(2))
	s.State, s.Delay, s.Deadline, s.BuryRank = storage.Ready, 0, 0, 0
	if r.Intn(4) == 0 {
		randomItem(r, s)
		return
	}
	if r.Intn(8) == 0 {
		randomOptions(r, s)
		return
	}
	switch r.Intn(4) {
	case 0:
		*rank++
		s.State, s.BuryRank, s.Pri = storage.Buried, *rank, r.Uint32()
		s.Buries++
	case 1:
		s.State, s.Delay, s.Deadline, s.Pri = storage.Delayed, r.Uint32(), r.Int63(), r.Uint32()
		s.Releases++
	case 2:
		s.Kicks++
	default:
		s.Pri = r.Uint32()
		s.Releases++
	}
}

// RandomQueue makes what may be kept of a queue.
func RandomQueue(r *rand.Rand, tube string) *storage.Queue {
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
	for k := range r.Intn(4) {
		q.Notes = append(q.Notes, storage.Note{Kind: storage.NoteKind(1 + k), Name: strings.Repeat("name", r.Intn(3)),
			Value: []byte{byte(k)}})
	}
	return q
}

// SameQueues compares what was found with what is known, by the tubes' names.
func SameQueues(t testing.TB, got []*storage.Queue, want map[string]*storage.Queue) {
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
