package ownership

import (
	"slices"
	"time"
)

// Owner is who owns the shards, as far as this node has heard; empty if nobody does.
func (s *Election) Owner() string {
	if s.role >= Owner {
		return s.Node
	}
	if s.owner == s.Node || s.now >= s.vacant {
		return ""
	}
	return s.owner
}

// Told is what a node has said of itself last, whether it lives, and how long ago that was.
func (s *Election) Told(name string) (r Report, alive bool, ago time.Duration) {
	if name == s.Node {
		return s.Report(), true, 0
	}
	if p := s.peers[name]; p != nil {
		return p.report, s.alive(name), s.now - p.heard
	}
	return r, false, 0
}

// Leaders are the nodes whose engines may lead lanes: those that live, and have no copy that is not whole.
func (s *Election) Leaders() (names []string) {
	for _, name := range s.Nodes {
		if p := s.peers[name]; s.alive(name) && (p == nil || !p.report.Broken) {
			names = append(names, name)
		}
	}
	return names
}

// CountsNothing tells whether nothing of this node's copy of a shard is taken for durable by an owner
// that this node hears, or that there is none. Before it could have heard one, it cannot tell.
func (s *Election) CountsNothing(i int) bool {
	if s.Owner() == "" {
		return s.silent()
	}
	return i >= len(s.countedAs) || s.countedAs[i] == 0
}

// Newest is the number of the newest record of a shard that any living node has.
func (s *Election) Newest(i int) uint64 { return s.shards[i].Place + s.missing(i) }

// GivenUp tells whether a node's copies hold up no purge.
func (s *Election) GivenUp(name string) bool { return slices.Contains(s.left.Nodes, name) }

// Source is a node whose copy of a shard could be had: rather one that is whole, and rather of a node that has
// something else to do than to serve. It is empty if there is none.
func (s *Election) Source(i int) (name string, whole bool) {
	for _, other := range s.Nodes {
		p := s.peers[other]
		if p == nil || !s.alive(other) || i >= len(p.report.Durable) || len(p.report.Problems) > 0 &&
			p.report.Role != Owner.String() {
			continue
		}
		its := !slices.Contains(p.report.Damaged, i)
		if name == "" || its && !whole || its == whole &&
			(name == s.owner || p.report.Durable[i] > s.peers[name].report.Durable[i] && other != s.owner) {
			name, whole = other, its
		}
	}
	return name, whole
}
