package committer

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"beanfield/storage/must"
)

// fakeDatabase is an environment without a database. An apply waits until the test
// lets it end.
type fakeDatabase struct {
	c         *Committer
	begun     []int      // how many acks each group had when its apply began
	end       chan error // ends an apply
	elsewhere error      // what another user of the database fails with during an apply
}

func (f *fakeDatabase) Apply(g *Group) error {
	f.begun = append(f.begun, len(g.acks))
	if f.elsewhere != nil {
		f.c.Fail(f.elsewhere)
		return nil
	}
	return <-f.end
}

func (f *fakeDatabase) Broken(err error) { f.c.Fail(err) }

// bed is a committer on a fake database, and its owner, who notes what it is told.
type bed struct {
	*Committer
	t    *testing.T
	db   *fakeDatabase
	told []int // turns whose acks have succeeded
	lost []int // turns whose acks have failed
}

func newBed(t *testing.T, strict bool) *bed {
	db := &fakeDatabase{end: make(chan error)}
	b := &bed{t: t, db: db, Committer: New(db, strict)}
	db.c = b.Committer
	b.Start(1000)
	synctest.Wait() // run waits for work
	return b
}

type bedTurn struct {
	of *bed
	n  int
}

func (a bedTurn) Committed(err error) {
	if err != nil {
		a.of.lost = append(a.of.lost, a.n)
	} else {
		a.of.told = append(a.of.told, a.n)
	}
}

// write adds a record to the turn under way.
func (b *bed) write() {
	b.Begin()
	b.open.Buf = append(b.open.Buf, make([]byte, 110)...)
}

// turns commits some that write and must wait, with the numbers from first to last.
func (b *bed) turns(first, last int, later bool) {
	b.t.Helper()
	for n := first; n <= last; n++ {
		b.write()
		if b.Commit(bedTurn{b, n}, later) {
			b.t.Fatalf("turn %d was acknowledged before it was applied", n)
		}
	}
}

// want checks, when everybody waits, what has been applied and told.
func (b *bed) want(begun, told, lost []int) {
	b.t.Helper()
	synctest.Wait()
	if !slices.Equal(b.db.begun, begun) || !slices.Equal(b.told, told) || !slices.Equal(b.lost, lost) {
		b.t.Fatalf("applied groups of %v turns, told %v, lost %v; should be %v, %v, %v",
			b.db.begun, b.told, b.lost, begun, told, lost)
	}
}

// ends has run end.
func (b *bed) ends() {
	b.Close()
	<-b.Done
}

// bubble runs a test in a bubble, with a committer that acknowledges what is applied.
func bubble(t *testing.T, test func(b *bed)) {
	synctest.Test(t, func(t *testing.T) { test(newBed(t, true)) })
}

// While a group is applied, turns gather in the next. One that wrote nothing waits for
// what it can have seen, and for nothing else.
func TestTurnsGatherInGroups(t *testing.T) {
	bubble(t, func(b *bed) {
		if !b.Commit(bedTurn{b, 0}, false) {
			t.Error("there was nothing to wait for")
		}
		b.turns(1, 1, false)
		b.want([]int{1}, nil, nil)
		if b.Commit(bedTurn{b, 2}, false) {
			t.Error("a turn that wrote nothing overtook one that wrote")
		}
		b.turns(3, 5, false)
		if b.Commit(bedTurn{b, 6}, false) {
			t.Error("a turn that wrote nothing overtook one that wrote")
		}
		b.db.end <- nil
		b.want([]int{1, 4}, []int{1, 2}, nil)
		b.turns(7, 7, false)
		b.db.end <- nil
		b.want([]int{1, 4, 1}, []int{1, 2, 3, 4, 5, 6}, nil)
		b.db.end <- nil
		b.ends()
		b.want([]int{1, 4, 1}, []int{1, 2, 3, 4, 5, 6, 7}, nil)
	})
}

// A committer that comes during a turn gets the group at the turn's end, from the
// owner: it need not be quick enough to come between two turns.
func TestTheEndOfATurnHandsOver(t *testing.T) {
	bubble(t, func(b *bed) {
		must.Do(t, b.Gate())
		b.turns(1, 1, false)
		b.write()
		b.Thaw()
		b.want(nil, nil, nil)
		if b.taken != 0 || !b.wanting {
			t.Fatalf("during a turn: %d groups taken, wanting: %v", b.taken, b.wanting)
		}
		b.Commit(bedTurn{b, 2}, false)
		b.write() // the next turn begins before anybody else gets to run
		if b.taken != 1 {
			t.Error("the end of the turn has not handed the group over")
		}
		b.want([]int{2}, nil, nil)
		b.db.end <- nil
		b.want([]int{2}, []int{1, 2}, nil)
		b.Commit(bedTurn{b, 3}, false)
		b.db.end <- nil
		b.ends()
		b.want([]int{2, 1}, []int{1, 2, 3}, nil)
	})
}

// After a failure nothing is acknowledged: neither what was being applied, nor what
// waited, nor what comes; all are told, in order.
func TestNothingIsAcknowledgedAfterAFailure(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, false)
		synctest.Wait()
		b.turns(2, 3, false)
		b.db.end <- errors.New("broken disk")
		b.want([]int{1}, nil, []int{1, 2, 3})
		b.turns(4, 4, false)
		b.turns(5, 5, true)
		b.Push(true)
		b.want([]int{1}, nil, []int{1, 2, 3, 4, 5})
		for _, step := range []func() error{b.Hold, b.Settle, b.Gate} {
			if err := step(); err == nil {
				t.Error("a checkpoint of a log that has failed goes on")
			}
		}
		b.ends()
	})
}

// A failure elsewhere, as in a flush, counts for a group that is being applied, even if
// that ends well.
func TestAFailureElsewhere(t *testing.T) {
	bubble(t, func(b *bed) {
		b.db.elsewhere = errors.New("broken disk")
		b.turns(1, 1, false)
		b.want([]int{1}, nil, []int{1})
		b.ends()
	})
}

// Closing applies everything that was committed, also behind a gate.
func TestCloseAppliesWhatWasCommitted(t *testing.T) {
	bubble(t, func(b *bed) {
		must.Do(t, b.Gate())
		b.turns(1, 2, false)
		b.want(nil, nil, nil)
		b.Close()
		b.want([]int{2}, nil, nil)
		b.db.end <- nil
		<-b.Done
		b.want([]int{2}, []int{1, 2}, nil)
	})
}

// A gate is shut when no group is applied any more. What is committed behind it waits.
func TestGateWaits(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, false)
		synctest.Wait()
		shut := make(chan error, 1)
		go func() { shut <- b.Gate() }()
		synctest.Wait()
		if len(shut) != 0 {
			t.Error("the gate was shut while a group was applied")
		}
		b.turns(2, 2, false)
		b.db.end <- nil
		if err := <-shut; err != nil {
			t.Error(err)
		}
		b.turns(3, 3, true)
		b.Push(true)
		b.want([]int{1}, []int{1}, nil)
		b.Thaw()
		b.want([]int{1, 2}, []int{1}, nil)
		b.db.end <- nil
		b.ends()
		b.want([]int{1, 2}, []int{1, 2, 3}, nil)
	})
}

// Where turns need not wait, they do when too much is queued, and while a checkpoint
// holds acks: then until they are applied.
func TestTurnsThatNeedNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, false)
		for n := 0; n < 5; n++ {
			b.write()
			if !b.Commit(bedTurn{b, n}, false) {
				t.Fatalf("turn %d waits", n)
			}
		}
		b.want([]int{0}, nil, nil)
		for range 8 {
			b.write()
		}
		for range 8 {
			b.write()
		}
		b.turns(5, 5, false)
		b.db.end <- nil
		b.want([]int{0, 1}, nil, nil)
		b.turns(6, 6, false) // a short one, but none is overtaken
		b.db.end <- nil
		b.want([]int{0, 1, 1}, []int{5}, nil)
		b.db.end <- nil
		b.want([]int{0, 1, 1}, []int{5, 6}, nil)
		must.Do(t, b.Hold())
		b.turns(7, 7, false)
		settled := make(chan error, 1)
		go func() { settled <- b.Settle() }()
		b.want([]int{0, 1, 1, 1}, []int{5, 6}, nil)
		if len(settled) != 0 {
			t.Error("settled before all was applied")
		}
		b.db.end <- nil
		if err := <-settled; err != nil {
			t.Error(err)
		}
		b.Thaw()
		b.ends()
		b.want([]int{0, 1, 1, 1}, []int{5, 6, 7}, nil)
	})
}
