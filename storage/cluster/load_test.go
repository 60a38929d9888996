package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clients append to shard 0, some at a time, until their term ends, and note what was acknowledged.
type clients struct {
	sync.WaitGroup
	mu      sync.Mutex
	acked   []string
	last    time.Time
	longest time.Duration // between two acknowledgements
	stop    atomic.Bool
}

func (c *trio) clients(t *Term) *clients {
	k := &clients{last: time.Now()}
	for client := range 8 {
		k.Go(func() {
			for i := 0; !k.stop.Load(); i++ {
				text := fmt.Sprintf("%d %d of %d", client, i, t.epochs[0])
				if client == 0 && i%50 == 10 { // more than a record takes
					text = strings.Repeat(".", 3<<20) + text
				}
				if err := t.Append(0, []byte(text+";")); err != nil {
					return
				}
				k.mu.Lock()
				k.longest, k.last = max(k.longest, time.Since(k.last)), time.Now()
				k.acked = append(k.acked, text)
				k.mu.Unlock()
			}
		})
	}
	return k
}

// count is how many were acknowledged.
func (k *clients) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.acked)
}

// more waits until so many more are.
func (k *clients) more(c *trio, n int) {
	c.Helper()
	from := k.count()
	until(c, "more is acknowledged", func() bool { return k.count() >= from+n })
}

// agree holds all copies against what was acknowledged.
func (c *trio) agree(all ...*clients) {
	c.Helper()
	_, term := c.owner()
	c.append(term, "the end;", "a", "b", "c")
	turns := c.stores["a"].all(0)
	has := map[string]bool{}
	for _, text := range strings.Split(strings.Join(turns, ""), ";") {
		if has[text] {
			c.Errorf("%.30s is there twice", text)
		}
		has[text] = true
	}
	for _, k := range all {
		for _, text := range k.acked {
			if !has[text] {
				c.Errorf("%.30s was acknowledged, and is not there", text)
			}
		}
	}
	for _, name := range []string{"b", "c"} {
		if !slices.Equal(c.stores[name].all(0), turns) {
			c.Errorf("node %s has other turns than a", name)
		}
	}
}

func (m *memory) all(i int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.turns[i])
}

// E5, E7, K1 to K4 and P9 on the real engine: while clients append, turns of several records too, a machine is lost
// that leads the lane in use, then the owner's, and then another node takes over from a living one.
func TestLossesUnderLoad(t *testing.T) {
	c := newTrio(t)
	owner, term, _ := c.three()
	c.steered(owner)
	first := c.clients(term)
	first.more(c, 100)
	victim := ""
	until(t, "a lane has a leader", func() bool {
		r := c.nodes[owner].replicas[0]
		victim, _, _ = r.shard.Leader(limited(t), r.driver.Load().State().Lane)
		return victim != "" && victim != owner
	})
	c.kill(victim)
	first.more(c, 100)
	t.Log("the longest time between acknowledgements:", first.longest)
	c.start(victim)
	if !term.Holds() {
		t.Error("the owner has changed:", term.Why())
	}
	c.fit("a", "b", "c")
	c.kill(owner)
	first.Wait()
	next, term := c.owner()
	second := c.clients(term)
	second.more(c, 100)
	c.start(owner)
	c.fit("a", "b", "c")
	until(t, "the shards are moved", func() bool { return c.nodes[next].Move(limited(t), owner) == nil })
	second.Wait()
	_, term = c.owner()
	third := c.clients(term)
	third.more(c, 100)
	third.stop.Store(true)
	third.Wait()
	c.agree(first, second, third)
}
