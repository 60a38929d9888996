package shard

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// late tells of a waiter that was not woken when it should be, give or take a millisecond.
func (w wake) late(b *bench, due int64) {
	b.Helper()
	if late := w.at - due; late < 0 || late > 1e6 {
		b.Errorf("job %d is %v late", w.id, time.Duration(late))
	}
}

// Deadlines fire by themselves, not early, and within a millisecond: delays,
// ends of pauses, TTRs, also when an earlier one comes later.
func TestTimers(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a, w := b.client(), b.client()
		a.do("put 1 delay=5 ttr=2; put 2 delay=2") // the second is earlier than what the timer is set to
		w.do("reserve")
		b.pass(1999 * time.Millisecond)
		if len(w.wakes) != 0 {
			b.Fatal("a delayed job was early")
		}
		b.pass(2 * time.Millisecond)
		w.do("delete 2; reserve")
		b.pass(10 * time.Second) // 1 comes at 5 s, and back at 7 s
		a.says("totals", "ready:1 timeouts:1")
		a.do("delete 1; pause default delay=3; put 3")
		w.do("reserve")
		unpaused := b.now() + 3*second
		b.pass(10 * time.Second)
		for _, at := range []int64{1 + 2*second, 1 + 5*second, unpaused} {
			(<-w.wakes).late(b, at)
		}
	})
}

// Hundreds of jobs put at odd moments all come at theirs.
func TestTimersAtOddMoments(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		rnd := rand.New(rand.NewPCG(5, 5))
		due := map[uint64]int64{}
		var waiters []*client
		for id := uint64(1); id <= 400; id++ {
			delay, w := rnd.IntN(5)+1, b.client()
			due[id] = b.now() + int64(delay)*second
			w.do("put %d delay=%d; reserve", id, delay)
			waiters = append(waiters, w)
			<-time.After(time.Duration(rnd.IntN(40e6)))
		}
		b.pass(6 * time.Second)
		for _, w := range waiters {
			if len(w.wakes) != 1 {
				b.Fatalf("a waiter was woken %d times", len(w.wakes))
			}
			wake := <-w.wakes
			wake.late(b, due[wake.id])
		}
	})
}

// More is due at once than a turn may move: it is all done, without another
// timer.
func TestMoreDueThanASlice(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		a := b.client()
		const each = 3 * queue.Slice
		for id := 1; id <= 2*each; id += 2 {
			a.do("put %d delay=2; put %d ttr=2; reserve-job %d", id, id+1, id+1)
		}
		b.pass(2 * time.Second)
		a.says("totals", figures(queue.Sums{Ready: 2 * each, Timeouts: each}))
	})
}

// A deadline that comes while the shard is taken is served when it is given back.
func TestAlarmWhileBusy(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		w := b.client()
		w.do("put 1 delay=1; reserve")
		release := b.hold()
		b.pass(3 * time.Second)
		if len(w.wakes) != 0 {
			b.Fatal("two run the shard at once")
		}
		release()
		synctest.Wait()
		if wake := <-w.wakes; wake.at != 3*second+1 {
			b.Errorf("woken at %v, want at 3 s", wake.at)
		}
	})
}

// Close ends the goroutine and the timer; synctest would complain of either.
func TestClose(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		b.client().do("put 1 delay=1")
		b.close()
		b.pass(2 * time.Second)
		if b.sh.state.Figures().Sums.Delayed != 1 { // nobody else can touch it any more
			b.Error("a closed shard goes on")
		}
	})
}

// While the process is stopped the clock goes on, and no timer fires. What was due before a batch came is done
// before the batch is run: in place, from the mailbox, and with a log.
func TestDueComesBeforeCommands(t *testing.T) {
	for name, submit := range map[string]func(c *client, batch *queue.Batch){
		"in place": func(c *client, batch *queue.Batch) {
			if !c.b.sh.Submit(batch) {
				t.Error("the batch is not run in place")
			}
		},
		"mailbox": func(c *client, batch *queue.Batch) {
			if c.b.take(); c.b.sh.Submit(batch) {
				t.Error("the batch is run in place")
			}
			c.b.sh.drain(turnBatches)
			c.b.sh.giveBack()
			<-c.answers
		},
	} {
		for _, durable := range []bool{false, true} {
			inBubble(t, durable, func(b *bench) {
				c, other := b.client(), b.client()
				c.do("put 1 delay=2; put 2 ttr=1; reserve-job 2; pause default delay=2")
				b.skew.Add(3 * second)
				batch := other.batch(ops("stats-tube default; poll; poll; touch 2")...)
				submit(other, batch)
				b.expect(name+", durable: "+strconv.FormatBool(durable), said(batch), "ready:2; 1 ; 2 ; ok")
				c.says("touch 2; delete 2", "no; no")
			})
		}
	}
}

// A job goes to the waiter that has waited for it, and not to one that comes when it was due
// already. A job that nobody has taken since its deadline can be deleted by who held it, as any
// ready job, but not touched.
func TestWhoComesLate(t *testing.T) {
	inBubble(t, false, func(b *bench) {
		waiter := b.client()
		waiter.do("reserve")
		b.client().do("put 1 delay=1 ttr=1")
		b.skew.Add(2 * second)
		b.client().says("poll", "timeout")
		if (<-waiter.wakes).id != 1 {
			b.Error("the waiter has nothing")
		}
		b.skew.Add(2 * second)
		waiter.says("touch 1; bury 1; release 1; delete 1", "no; no; no; ok")
	})
}
