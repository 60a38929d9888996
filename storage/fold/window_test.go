package fold

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// What is no turn is corrupt, whoever meets it.
func TestWhatIsNoTurnIsCorrupt(t *testing.T) {
	w := NewWindow(7)
	b := append(turns.AppendRaise(nil, 9), "no operation"...)
	if err := w.Absorb(b, 0); !errors.Is(err, storage.ErrCorrupt) || !errors.Is(err, turns.ErrOp) {
		t.Errorf("absorbed: %v", err)
	}
	if err := w.Absorb(make([]byte, 100), 100); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("absorbed zeros: %v", err)
	}
	if w.Highest() != 9 {
		t.Errorf("the highest id is %d", w.Highest())
	}
}

// FO1, FO2: a share takes no turns that were absorbed after it began, and none that were not absorbed
// at all: it could not tell what counts.
func TestShareIsOfTurnsAbsorbedBefore(t *testing.T) {
	w := NewWindow(0)
	put := append(turns.AppendJob(nil, turns.Put, 1, 1), 'x')
	must.Do(t, w.Absorb(put, 100))
	s := w.NewShare()
	if err := s.Collect(put, 100); err != nil || len(s.Records) != 1 {
		t.Fatalf("%v, %d records", err, len(s.Records))
	}
	end := turns.AppendDelete(nil, 1, false, false)
	for _, when := range []string{"not absorbed", "absorbed later"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a turn that was %s was collected", when)
				}
			}()
			s.Collect(end, 200)
		}()
		if err := w.Absorb(end, 200); when == "not absorbed" && err != nil {
			t.Fatal(err)
		}
	}
}

// findsAll checks FO3 for turns of more operations than are looked at at once.
func findsAll(t *testing.T, w *Window, b []byte, at turns.At) {
	for len(b) > 0 {
		op, n, err := turns.NextOp(b)
		if err != nil {
			t.Fatal(err)
		}
		if found, length, ok := w.Find(op.ID); op.Kind == turns.Put && (!ok || found != at || length != n) {
			t.Fatalf("job %d is found at %d, want %d", op.ID, found.Offset(), at.Offset())
		}
		b, at = b[n:], at+turns.At(n)
	}
}

// Readers, the owner and the fold use a window at the same time: for the race detector. The
// values of a share stay what they are, though its maker uses the memory of the turns again.
func TestWindowIsUsedByMany(t *testing.T) {
	const jobs, group = 20_000, 1000
	w := NewWindow(0)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for id := uint64(1); ; id++ {
				select {
				case <-stop:
					return
				default:
				}
				w.Find(id % jobs)
				w.Left(uint32(id % 4))
				w.Highest()
			}
		})
	}
	sealed := make(chan *Share)
	readers.Go(func() {
		for s := range sealed {
			s.Done()
			sealed <- nil
		}
	})
	for i, b := range puts(jobs, group, 1, 1, false) {
		b = turns.AppendSetQueue(b, "queue", body)
		must.Do(t, w.Absorb(b, slotOf(i*group)))
		findsAll(t, w, b, slotOf(i*group))
		s := w.NewShare()
		must.Do(t, s.Collect(b, slotOf(i*group)))
		clear(b)
		s.Seal(turns.Place{Number: uint64(i)})
		sealed <- s
		end := turns.AppendDelete(nil, s.Records[0].ID, false, false) // meanwhile
		must.Do(t, w.Absorb(end, slotOf(i*group)+turns.At(len(b))))
		<-sealed
		if len(s.Queues) != 1 || string(s.Queues[0].Name) != "queue" || !bytes.Equal(s.Queues[0].Value, body) {
			t.Fatalf("share %d has %d queues", i, len(s.Queues))
		}
		for j, c := range s.Records {
			if c.ID != uint64(i*group+j+1) || !bytes.Equal(c.Value, body) {
				t.Fatalf("share %d has %d, %q", i, c.ID, c.Value)
			}
		}
	}
	close(sealed)
	close(stop)
	readers.Wait()
	if n := w.records.n; n != jobs/group || len(w.queues) != 0 {
		t.Errorf("%d records are left, want the ends of %d", n, jobs/group)
	}
}

// What a slot has left is room enough for the jobs that a share takes from it.
func TestExpect(t *testing.T) {
	w, groups := filled(10_000, 1)
	s := w.NewShare()
	s.Expect(w.Left(0))
	room := cap(s.Records)
	for i, b := range groups {
		must.Do(t, s.Collect(b, slotOf(i*1000)))
	}
	if len(s.Records) != 10_000 || cap(s.Records) != room {
		t.Errorf("%d jobs, room for %d and then for %d", len(s.Records), room, cap(s.Records))
	}
}
