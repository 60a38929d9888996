package fold

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"beanfield/storage"
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

// W1, W2: a share takes no turns that were absorbed after it began, and none that were not absorbed
// at all: it could not tell what counts.
func TestShareIsOfTurnsAbsorbedBefore(t *testing.T) {
	w := NewWindow(0)
	put := append(turns.AppendJob(nil, turns.Put, 1, 1), 'x')
	if err := w.Absorb(put, 100); err != nil {
		t.Fatal(err)
	}
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
				if _, n, ok := w.Find(id % jobs); ok && n < len(body) {
					t.Errorf("job %d has %d bytes", id%jobs, n)
				}
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
	for i, b := range puts(jobs, group, 1) {
		if err := w.Absorb(b, slotOf(i*group)); err != nil {
			t.Fatal(err)
		}
		s := w.NewShare()
		if err := s.Collect(b, slotOf(i*group)); err != nil {
			t.Fatal(err)
		}
		clear(b)
		s.Seal(turns.Place{Number: uint64(i)})
		sealed <- s
		end := turns.AppendDelete(nil, s.Records[0].ID, false, false) // meanwhile
		if err := w.Absorb(end, slotOf(i*group)+turns.At(len(b))); err != nil {
			t.Fatal(err)
		}
		<-sealed
		for j, c := range s.Records {
			if c.ID != uint64(i*group+j+1) || !bytes.Equal(c.Value, body) {
				t.Fatalf("share %d has %d, %q", i, c.ID, c.Value)
			}
		}
	}
	close(sealed)
	close(stop)
	readers.Wait()
	if n := w.records.n; n != jobs/group {
		t.Errorf("%d records are left, want the ends of %d", n, jobs/group)
	}
}
