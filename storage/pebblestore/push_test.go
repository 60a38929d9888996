package pebblestore

import (
	"errors"
	"testing"
	"testing/synctest"
)

// A goroutine that pushes what it committed applies it itself, if no other goroutine
// applies: run is never woken for it.
func TestPushHere(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 2, true)
		b.want(nil, nil, nil) // nobody was woken
		pushed := make(chan bool)
		go func() {
			b.push(true)
			close(pushed)
		}()
		b.want([]int{2}, nil, nil)
		b.turns(3, 3, true)
		b.push(true) // somebody applies: returns at once
		b.want([]int{2}, nil, nil)
		b.db.end <- nil
		<-pushed
		b.want([]int{2, 1}, []int{1, 2}, nil) // run has gone on with turn 3
		b.db.end <- nil
		b.want([]int{2, 1}, []int{1, 2, 3}, nil)
		b.push(true) // nothing is left
		b.ends()
		b.want([]int{2, 1}, []int{1, 2, 3}, nil)
	})
}

// A caller that has other things to do leaves it to run.
func TestPushElsewhere(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		b.push(false)
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
		b.push(true)
		b.want(nil, nil, nil)
		b.commit(bedTurn{b, 2}, false)
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
		b.push(true)
		<-b.done
		b.want([]int{1}, nil, []int{1})
		b.ends()
	})
}

// After a failure nothing is applied, not even what was committed before.
func TestPushAfterAFailure(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		b.fail(errors.New("broken disk"))
		b.turns(2, 2, true)
		b.push(true)
		b.want(nil, nil, []int{1, 2})
		b.ends()
	})
}

// A close during a push waits for its end, also if nothing follows.
func TestCloseDuringTheLastPush(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		go b.push(true)
		synctest.Wait()
		b.close()
		synctest.Wait()
		b.db.end <- nil
		<-b.done
		b.want([]int{1}, []int{1}, nil)
	})
}

// A close during a push waits for its end, and applies what came after.
func TestCloseDuringAPush(t *testing.T) {
	bubble(t, func(b *bed) {
		b.turns(1, 1, true)
		go b.push(true)
		synctest.Wait()
		b.turns(2, 2, true)
		b.close()
		b.want([]int{1}, nil, nil)
		select {
		case <-b.done:
			t.Error("run has ended before the last group")
		default:
		}
		b.db.end <- nil
		b.want([]int{1, 1}, []int{1}, nil)
		b.db.end <- nil
		<-b.done
		b.want([]int{1, 1}, []int{1, 2}, nil)
	})
}
