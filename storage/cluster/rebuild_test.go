package cluster

import (
	"fmt"
	"os"
	"testing"

	"beanfield/storage/must"
)

// CN5, P8 on the real engine: a node that was given up is away while the lanes are purged, and has a
// checkpoint of another node when it is back. An operator can order one, too.
func TestCheckpoint(t *testing.T) {
	c := newTrio(t)
	name, term, others := c.three()
	away, other := others[0], others[1]
	c.kill(away)
	must.Do(t, c.nodes[other].Leave(limited(t), away))
	for i := range 20 {
		c.append(term, fmt.Sprintf("%d;", i), name, other)
	}
	until(t, "what the one that was given up lacks is purged", func() bool {
		return c.nodes[name].Status().Shards[1].Trim > 10
	})
	c.append(term, "two;", name, other)
	c.start(away)
	c.append(term, "three;", "a", "b", "c")
	if c.stores[away].replaced == 0 {
		t.Error("it has caught up without a checkpoint")
	}
	c.fit(away, "a", "b", "c")
	must.Do(t, c.nodes[other].Join(limited(t), away))

	c.stores[other].replaces = func(i int) {
		if !c.nodes[other].Status().Shards[i].Rebuilding {
			t.Errorf("the copy of shard %d gets a checkpoint, and its node does not say so", i)
		}
	}
	before := c.stores[other].replaced
	must.Do(t, c.nodes[away].Rebuild(limited(t), other, -1))
	until(t, "the ordered checkpoints are there", func() bool { return c.stores[other].count() == before+2 })
	c.append(term, "four;", "a", "b", "c")
	for _, s := range c.nodes[other].Status().Shards {
		if s.Rebuilding {
			t.Errorf("shard %d is said to get a checkpoint that it has", s.Shard)
		}
	}
	if err := c.nodes[away].Rebuild(limited(t), name, 0); err == nil {
		t.Error("the owner's copy is rebuilt")
	}
	c.fit(name, "a", "b", "c")
	must.Do(t, c.nodes[name].Move(limited(t), away))
	_, term = c.owner()
	c.append(term, "five;", "a", "b", "c")
}

func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.replaced
}

// stuck are copies of which none can be replaced.
type stuck struct{ Copies }

func (stuck) Replace(int, string, bool) error { return os.ErrPermission }

// A process fails with a copy whose replacement has begun, and not with one that was not touched because the
// process ends.
func TestReplacementThatDoesNotBegin(t *testing.T) {
	for name, want := range map[string]bool{"ends": false, "begins": true} {
		n := newNode(Options{Dir: t.TempDir()})
		n.copies = stuck{}
		r := &replica{node: n}
		if name == "ends" {
			n.shut()
		}
		go func() {
			<-n.wake
			for _, f := range n.mail {
				f(0)
			}
		}()
		if err := r.replace(""); err == nil || (n.why != nil) != want {
			t.Errorf("%s: %v; it fails with %v", name, err, n.why)
		}
	}
}
