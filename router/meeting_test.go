package router

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/shard/queue"
)

// Two clients meet at one shard, round after round, and nobody else comes: a
// batch that is left in the mailbox of an idle shard would stay there.
func TestNoBatchIsLeftInTheMailbox(t *testing.T) {
	rounds := int64(200_000)
	if testing.Short() || raced {
		rounds = 20_000
	}
	r := newRouterOf(t, 1)
	var arrived atomic.Int64
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			c := newClient(r)
			defer c.close()
			for round := int64(1); round <= rounds; round++ {
				arrived.Add(1)
				for arrived.Load() < 2*round {
					runtime.Gosched()
				}
				c.batch.Reset()
				c.batch.Ops = append(c.batch.Ops, queue.Op{Kind: queue.Soonest})
				if !c.Submit(0, &c.batch, true) && !c.rungWithin(20*time.Second) {
					panic("a batch has been left in the mailbox")
				}
			}
		})
	}
	all.Wait()
	mustBeEmpty(t, r)
}

// rungWithin finishes a call that is under way, unless that takes too long.
func (c *client) rungWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !c.Resume() {
		select {
		case <-c.bell:
		case <-timer.C:
			return false
		}
	}
	return true
}
