package cluster

import (
	"slices"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// The copies that most nodes have are right, and those of others differ. Without most nobody is blamed.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		has             string // what each node has; "-" if it does not answer, "!" if it cannot say
		equal           bool
		differ          string // the nodes that do
		failed, differs bool
	}{
		{has: "xxx", equal: true},
		{has: "xyx", differ: "b", differs: true},
		{has: "yxx", differ: "a", differs: true},
		{has: "xyz", differs: true},
		{has: "xy-", differs: true},
		{has: "xx-"},
		{has: "xx!", failed: true},
		{has: "xy!", failed: true, differs: true},
		{has: "x--"},
		{has: "---"},
	} {
		var s ShardVerified
		for i, b := range []byte(c.has) {
			n := NodeVerified{Name: string(rune('a' + i))}
			switch b {
			case '-':
				n.Error = silent.Error
			case '!':
				n.Error = "its copy is not whole"
			default:
				n.Content = &Content{Hash: string(b)}
			}
			s.Nodes = append(s.Nodes, n)
		}
		s.judge()
		differ := ""
		for _, n := range s.Nodes {
			if n.Differs {
				differ += n.Name
			}
		}
		if failed, differs := s.state(); s.Equal != c.equal || differ != c.differ || failed != c.failed ||
			differs != c.differs {
			t.Errorf("%s: equal %v, differ %q, failed %v, differs %v; want %+v", c.has, s.Equal, differ, failed,
				differs, c)
		}
	}
}

// On the real engine: copies are compared while a server appends, and one that differs is told, until it
// has been rebuilt.
func TestVerify(t *testing.T) {
	c := newTrio(t)
	name, term, others := c.three()
	other, third := others[0], others[1]
	if v := must.Get(c.nodes[third].Verify(limited(t))); !v.Equal || len(v.Shards) != 2 ||
		len(v.Shards[1].Nodes) != 3 || v.Shards[1].At < 1 {
		t.Errorf("%+v", v)
	}
	m := c.stores[other]
	m.mu.Lock()
	m.turns[1][len(m.turns[1])-1] = "two;"
	m.mu.Unlock()
	v := must.Get(c.nodes[third].Verify(limited(t)))
	if v.Equal || !v.Shards[0].Equal || v.Shards[1].Equal {
		t.Errorf("one differs: %+v", v)
	}
	for _, n := range v.Shards[1].Nodes {
		if n.Differs != (n.Name == other) {
			t.Errorf("%+v", n)
		}
	}
	remarked := func() bool { return c.told(name, other, "cluster rebuild "+other) }
	until(t, "the status of another node tells of it", remarked)
	must.Do(t, c.nodes[third].Rebuild(limited(t), other, 1))
	until(t, "that is over", func() bool { return !remarked() && m.count() == 1 })
	c.append(term, "three;", "a", "b", "c")
	if v := must.Get(c.nodes[name].Verify(limited(t))); !v.Equal {
		t.Errorf("rebuilt: %+v", v)
	}
	c.kill(third)
	if v := must.Get(c.nodes[name].Verify(limited(t))); v.Equal ||
		v.Shards[0].Nodes[slices.Index([]string{"a", "b", "c"}, third)].Error == "" {
		t.Errorf("one is missing: %+v", v)
	}
}

// told says whether a node's status has a text among the problems of another one.
func (c *trio) told(name, other, text string) bool {
	return slices.ContainsFunc(c.nodes[name].Status().Nodes, func(n NodeStatus) bool {
		return n.Name == other && strings.Contains(strings.Join(n.Problems, ""), text)
	})
}
