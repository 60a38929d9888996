package cluster

import (
	"slices"
	"testing"
)

// I1 on the real engine: that of a node that is cut off rests, its copy has all when it is back, and the term
// of another node goes on all the time.
func TestCutOff(t *testing.T) {
	c := newTrio(t)
	c.links = newLinks(c)
	owner, term, others := c.three()
	for _, victim := range others {
		c.append(term, "before "+victim+";", "a", "b", "c")
		c.links.set(true, victim, "a", "b", "c")
		until(t, "its engine rests", func() bool { return c.nodes[victim].rests.Load() })
		if problems := c.nodes[victim].Status().Problems; !slices.Contains(problems, cutOff) {
			t.Error(problems)
		}
		c.append(term, "meanwhile;", owner)
		c.links.set(false, victim)
		until(t, "its engine runs again", func() bool { return !c.nodes[victim].rests.Load() })
		c.append(term, "after "+victim+";", "a", "b", "c")
		c.fit("a", "b", "c")
	}
	if !term.Holds() {
		t.Error("the term is over:", term.Why())
	}
}

// The owner is cut off: another node serves, and the first one follows it when it is back.
func TestOwnerIsCutOff(t *testing.T) {
	c := newTrio(t)
	c.links = newLinks(c)
	name, term, others := c.three()
	c.links.set(true, name, others...)
	until(t, "its term is over", func() bool { return !term.Holds() })
	next, term := c.owner()
	if next == name {
		t.Fatal("the same node serves")
	}
	c.append(term, "two;", next)
	until(t, "its engine rests", func() bool { return c.nodes[name].rests.Load() })
	c.links.set(false, name)
	c.append(term, "three;", "a", "b", "c")
}

// A link is cut: the lanes are led by the node that reaches both its ends, be it the owner.
func TestLinkIsCut(t *testing.T) {
	c := newTrio(t)
	c.links = newLinks(c)
	owner, term, others := c.three()
	for _, ends := range [][3]string{{owner, others[0], others[1]}, {others[0], others[1], owner}} {
		c.steered(owner)
		c.links.set(true, ends[0], ends[1])
		hub := c.nodes[ends[2]]
		until(t, "the lanes are led by the node in the middle", func() bool {
			for _, r := range hub.replicas {
				for lane := range 2 {
					if leader, _, err := r.shard.Leader(limited(t), lane); err != nil || leader != ends[2] {
						return false
					}
				}
			}
			return true
		})
		c.append(term, "meanwhile;", owner, ends[2])
		c.links.set(false, owner)
		c.append(term, "after;", "a", "b", "c")
	}
	c.steered(owner)
	if !term.Holds() {
		t.Error("the term is over:", term.Why())
	}
}

// Both others are gone, and the engine of the one that is left rests. It is there again for the first of them that
// starts, though that one has not joined anybody yet.
func TestLeftAlone(t *testing.T) {
	c := newTrio(t)
	owner, _, others := c.three()
	c.kill(others[0])
	c.kill(owner)
	until(t, "the engine of the one that is left rests", func() bool { return c.nodes[others[1]].rests.Load() })
	c.start(owner)
	next, term := c.owner()
	c.append(term, "two;", owner, others[1])
	c.start(others[0])
	c.append(term, "three;", "a", "b", "c")
	if name, _ := c.owner(); name != next {
		t.Error("node", name, "serves, after", next)
	}
}
