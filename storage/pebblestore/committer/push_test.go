package committer

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A goroutine that pushes what it committed applies it itself, if no other goroutine
// applies: run is never woken for it.
func TestPushHere(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 2, true)
		b.want(nil, nil, nil) // nobody was woken
		pushed := make(chan bool)
		go func() {
			b.Push(true)
			close(pushed)
		}()
		b.want([]int{2}, nil, nil)
		b.turns(3, 3, true)
		b.Push(true) // somebody applies: returns at once
		b.want([]int{2}, nil, nil)
		b.db.end <- nil
		<-pushed
		b.want([]int{2, 1}, []int{1, 2}, nil) // run has gone on with turn 3
		b.db.end <- nil
		b.want([]int{2, 1}, []int{1, 2, 3}, nil)
		b.Push(true) // nothing is left
		b.ends()
		b.want([]int{2, 1}, []int{1, 2, 3}, nil)
	})
}

// A caller that has other things to do leaves it to run.
func TestPushElsewhere(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		b.Push(false)
		b.want([]int{1}, nil, nil)
		b.db.end <- nil
		b.ends()
		b.want([]int{1}, []int{1}, nil)
	})
}

// Between a turn's end and its push another turn may begin: run gets both, at the end
// of that one.
func TestPushDuringATurn(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		b.write()
		b.Push(true)
		b.want(nil, nil, nil)
		b.Commit(bedTurn{b, 2}, false)
		b.want([]int{2}, nil, nil)
		b.db.end <- nil
		b.ends()
		b.want([]int{2}, []int{1, 2}, nil)
	})
}

// A failure met by a caller of push ends run too.
func TestPushFails(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		go func() { b.db.end <- errors.New("broken disk") }()
		b.Push(true)
		<-b.Done
		b.want([]int{1}, nil, []int{1})
		b.ends()
	})
}

// After a failure nothing is applied, not even what was committed before.
func TestPushAfterAFailure(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		b.Fail(errors.New("broken disk"))
		b.turns(2, 2, true)
		b.Push(true)
		b.want(nil, nil, []int{1, 2})
		b.ends()
	})
}

// A close during a push waits for its end, also if nothing follows.
func TestCloseDuringTheLastPush(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		go b.Push(true)
		synctest.Wait()
		b.Close()
		synctest.Wait()
		b.db.end <- nil
		<-b.Done
		b.want([]int{1}, []int{1}, nil)
	})
}

// A close during a push waits for its end, and applies what came after.
func TestCloseDuringAPush(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		go b.Push(true)
		synctest.Wait()
		b.turns(2, 2, true)
		b.Close()
		b.want([]int{1}, nil, nil)
		select {
		case <-b.Done:
			t.Error("run has ended before the last group")
		default:
		}
		b.db.end <- nil
		b.want([]int{1, 1}, []int{1}, nil)
		b.db.end <- nil
		<-b.Done
		b.want([]int{1, 1}, []int{1, 2}, nil)
	})
}

// Where turns do not wait for the disk, the caller does not either.
func TestPushWithoutSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, false)
		b.write()
		if !b.Commit(bedTurn{b, 1}, false) {
			t.Error("a turn waits")
		}
		b.Push(true)
		b.want([]int{0}, nil, nil)
		b.db.end <- nil
		b.ends()
	})
}

// On a slow disk groups are left to run, until the disk is fast again. A single slow group turns one caller away.
func TestPushOnASlowDisk(t *testing.T) {
	for _, c := range []struct {
		took        time.Duration
		times       int
		here, after int // groups that callers apply, and those left to run when groups are fast again
	}{
		{slowApply - 1, 20, 20, 0},
		{10 * slowApply, 1, 1, 1},
		{10 * slowApply, 20, 1, 5}, // 4 ms, 3, 2.3, 1.7, 1.3
		{2 * slowApply, 20, 3, 3},  // 0.5, 0.9, 1.2 ms and more; 2, 1.5, 1.1
	} {
		bubble(t, func(b *bed) {
			turn := 0
			// here says whether the caller of push has applied a group.
			here := func(took time.Duration) bool {
				turn++
				b.turns(turn, turn, true)
				pushed := make(chan struct{})
				go func() {
					b.Push(true)
					close(pushed)
				}()
				synctest.Wait()
				applies := true
				select {
				case <-pushed:
					applies = false
				default:
				}
				time.Sleep(took)
				b.db.end <- nil
				<-pushed
				synctest.Wait()
				return applies
			}
			for i := range c.times {
				if got, want := here(c.took), i < c.here; got != want {
					t.Errorf("group %d of %v is applied by the caller: %v, want %v", i, c.took, got, want)
				}
			}
			after := 0
			for !here(0) {
				after++
			}
			if after != c.after {
				t.Errorf("after %d groups of %v, %d are left to run, want %d", c.times, c.took, after, c.after)
			}
			b.ends()
		})
	}
}

// swiftDatabase is an environment whose applies end after others have had their turn.
type swiftDatabase struct{ *fakeDatabase }

func (swiftDatabase) Apply(*Group) error {
	runtime.Gosched()
	return nil
}

// However many push at once, no turn is left behind: the bubble would end with goroutines
// that wait for ever.
func TestPushersLeaveNothingBehind(t *testing.T) {
	const pushers, each = 8, 500
	bubble(t, func(b *bed) {
		b.env = swiftDatabase{b.db}
		var owner sync.Mutex
		var all sync.WaitGroup
		for range pushers {
			all.Go(func() {
				for n := range each {
					told := make(ackChan, 1)
					owner.Lock()
					b.write()
					b.Commit(told, true)
					owner.Unlock()
					b.Push(n%3 > 0)
					<-told
				}
			})
		}
		all.Wait()
		b.ends()
	})
}

// ackChan is an Ack that can be waited for.
type ackChan chan error

func (c ackChan) Committed(err error) { c <- err }
