package jetstream

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

// steer has the lanes led by two nodes that are not the owner's.
func (c *cluster) steer(owner *node) {
	c.Helper()
	until(c.TB, "two others lead the lanes", func() bool {
		well, err := owner.shard.Steer(limited(c.TB), owner.name, []string{"a", "b", "c"})
		return err == nil && well
	})
}

// leads finds the node that leads a lane.
func (c *cluster) leads(from *node, lane int) (n *node) {
	c.Helper()
	until(c.TB, "a lane has a leader", func() bool {
		name, _, err := from.shard.Leader(limited(c.TB), lane)
		n = c.nodes[name]
		return err == nil && n != nil
	})
	return n
}

// others are the nodes but one.
func (c *cluster) others(but *node) (all []*node) {
	for _, name := range []string{"a", "b", "c"} {
		if c.nodes[name] != but {
			all = append(all, c.nodes[name])
		}
	}
	return all
}

// flood appends one text after the other, some at a time, until stop is closed. It measures the
// longest time between two acknowledgements.
func (c *cluster) flood(l *ledger, n *node, stop chan struct{}) (ended chan time.Duration) {
	ended = make(chan time.Duration, 1)
	slots := make(chan struct{}, 8)
	var mu sync.Mutex
	longest, last := time.Duration(0), time.Now()
	acked := func() {
		mu.Lock()
		longest, last = max(longest, time.Since(last)), time.Now()
		mu.Unlock()
		<-slots
	}
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				mu.Lock()
				ended <- longest
				mu.Unlock()
				return
			case slots <- struct{}{}:
				l.append(n, fmt.Sprintf("<%s-flood-%d>", n.name, i), acked)
			}
		}
	}()
	return ended
}

// more waits until so many more are acknowledged.
func (c *cluster) more(l *ledger, n int) {
	c.Helper()
	from := l.count()
	until(c.TB, "more is acknowledged", func() bool { return l.count() >= from+n })
}

func newLedger() *ledger { return &ledger{acked: map[string]uint64{}} }

// TestFollowersTakeWhatTheOwnerAppends holds E7 and P9 on the real engine, with turns that need
// several records.
func TestFollowersTakeWhatTheOwnerAppends(t *testing.T) {
	c := newCluster(t)
	a, l := c.nodes["a"], newLedger()
	c.own(a)
	c.some(l, a, 0, 50)
	long := make(chan error, 1)
	a.driver.Append(make([]byte, 10*longest+1), func(_ uint64, err error) { long <- err })
	if err := <-long; err != nil {
		t.Fatal(err)
	}
	t.Logf("turns in 11 parts: %+v", a.driver.State())
	c.some(l, a, 50, 100)
	c.agree(l, a, c.nodes["b"], c.nodes["c"])
	if n := len(a.history()); n != 111 {
		t.Error("100 small appends and one of 11 records made", n)
	}
	refused := make(chan error, 1)
	c.nodes["b"].driver.Append([]byte("x"), func(_ uint64, err error) { refused <- err })
	if err := <-refused; !errors.Is(err, ErrNotOwner) {
		t.Error("a follower appends:", err)
	}
}

// flooded is a cluster whose node a owns the shard, while two others lead the lanes, and appends
// until stop is closed.
func flooded(t *testing.T) (c *cluster, a *node, l *ledger, stop chan struct{}, ended chan time.Duration) {
	c = newCluster(t)
	a, l, stop = c.nodes["a"], newLedger(), make(chan struct{})
	c.own(a)
	c.steer(a)
	ended = c.flood(l, a, stop)
	c.more(l, 100)
	return c, a, l, stop, ended
}

// TestLeaderOfALaneStops holds K1 on the real engine: the lane in use loses its leader while the owner
// appends.
func TestLeaderOfALaneStops(t *testing.T) {
	c, a, l, stop, ended := flooded(t)
	victim := c.leads(a, 0)
	victim.stop()
	c.more(l, 100)
	close(stop)
	t.Logf("the longest time between acknowledgements: %v; %+v", <-ended, a.driver.State())
	c.agree(l, c.others(victim)...)

	c.join(c.start(victim.name)) // with an empty store
	c.some(l, a, 0, 10)
	c.agree(l, a, c.nodes["b"], c.nodes["c"])
	if len(l.lost) > 0 {
		t.Error("the owner did not change, and did not acknowledge:", l.lost)
	}
}

// TestOwnerStops holds K1, K3 and K4 on the real engine: the owner's machine is lost while it appends.
func TestOwnerStops(t *testing.T) {
	c, a, l, stop, ended := flooded(t)
	at := time.Now()
	a.stop()
	close(stop)
	<-ended
	b := c.nodes["b"]
	c.own(b)
	t.Logf("the shard has an owner again after %v", time.Since(at))
	c.some(l, b, 0, 10)
	c.agree(l, b, c.nodes["c"])

	again := c.start("a")
	again.last, again.seen = a.last, a.seen // its store is a prefix of the log
	c.join(again)
	c.some(l, b, 10, 20)
	c.agree(l, b, c.nodes["c"], again)
	c.own(again) // and may take over from a living one
	until(t, "the owner before notices", func() bool { return b.is(lanes.Follower) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if !errors.Is(b.why, lanes.ErrOvertaken) {
		t.Error("it was overtaken, and says:", b.why)
	}
}

// purged tells whether a lane begins behind its first record, or has no other.
func (c *cluster) purged(n *node, lane int) bool {
	var info struct {
		State struct {
			First uint64 `json:"first_seq"`
			Last  uint64 `json:"last_seq"`
		}
	}
	err := n.shard.ask(limited(c.TB), "STREAM.INFO."+n.shard.streams[lane], nil, &info)
	return err == nil && (info.State.First > 1 || info.State.Last <= 1)
}

// TestPurge holds P8 and E8 on the real engine: a node that needs what was purged is told that it
// has a gap, and one that does not goes on.
func TestPurge(t *testing.T) {
	c := newCluster(t)
	a, l := c.nodes["a"], newLedger()
	c.own(a)
	c.some(l, a, 0, 60)
	b, late := c.nodes["b"], c.nodes["c"]
	until(t, "all have 60 records", func() bool { return len(b.history()) == 60 && len(late.history()) == 60 })
	b.driver.Close()
	late.driver.Close()
	late.last, late.seen = turns.Place{}, nil
	until(t, "the lanes begin later", func() bool {
		a.driver.Purge(50)
		return c.purged(a, 0) && c.purged(a, 1)
	})
	c.drive(b)
	c.drive(late)
	c.some(l, a, 60, 70)
	c.agree(l, a, b)
	until(t, "the node without a store finds the gap", func() bool { return late.gaps.Load() == 1 })
	late.driver.Stand()
	until(t, "it does not become the owner", func() bool {
		late.mu.Lock()
		defer late.mu.Unlock()
		return errors.Is(late.why, lanes.ErrGap)
	})
	c.some(l, a, 70, 80)
	if n := len(late.history()); n > 50 {
		t.Error("it took records behind the gap:", n)
	}
}
