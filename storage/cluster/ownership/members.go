package ownership

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"beanfield/storage/lanes"
)

// Members are the nodes of a cluster, as one version says. A shard's log without a version has version 0: the
// nodes that its streams were made for.
type Members struct {
	Version uint64   `json:"version"`
	Nodes   []Member `json:"nodes"` // in the order of placement
}

// Member is one of them.
type Member struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"` // where its engine talks to the others
	Since   uint64 `json:"since,omitempty"`   // the version that has let it in (P17)
	Guest   bool   `json:"guest,omitempty"`   // it has no vote: it gets its copies first (P16)
}

// Find is the member of a name; nil if there is none.
func (m *Members) Find(name string) *Member {
	if i := slices.IndexFunc(m.Nodes, func(n Member) bool { return n.Name == name }); i >= 0 {
		return &m.Nodes[i]
	}
	return nil
}

// Voters are those that count for majorities.
func (m *Members) Voters() (names []string) {
	for _, n := range m.Nodes {
		if !n.Guest {
			names = append(names, n.Name)
		}
	}
	return names
}

// votes are the names of the voters in a lease: who has had a name before is another voter (P17).
func (m *Members) votes() (names []string) {
	for _, n := range m.Nodes {
		if !n.Guest {
			names = append(names, voteOf(n.Name, n.Since))
		}
	}
	return names
}

func voteOf(name string, since uint64) string { return fmt.Sprint(name, " ", since) }

// follows says what is wrong with a version behind another one (P14, P17); nil if nothing is.
func (m *Members) follows(before *Members) error {
	changed := 0
	for _, n := range m.Nodes {
		old := before.Find(n.Name)
		switch {
		case n.Since != m.Version && (old == nil || n.Since != old.Since):
			return fmt.Errorf("cluster: node %s has not been let in by version %d", n.Name, n.Since)
		case old != nil && n.Since != old.Since && !old.Guest:
			return fmt.Errorf("cluster: node %s is to be removed before another one gets its name", n.Name)
		case !n.Guest && (old == nil || old.Guest):
			changed++
		}
	}
	for _, old := range before.Nodes {
		if n := m.Find(old.Name); !old.Guest && (n == nil || n.Guest) {
			changed++
		}
	}
	if changed > 1 {
		return errors.New("cluster: the members change by one node at a time")
	}
	return nil
}

// Members are the newest that this node has heard of.
func (s *Election) Members() Members { return s.members }

// Decided tells that a shard's log has a version of the members, which this node's copy has taken. It is called in the
// order of the log, and before Changed tells what role that has led to; and by a new process with what its copies have
// taken before, before anything else. Lower versions than before are ignored: a copy may have been replaced by an
// older one.
func (s *Election) Decided(now time.Duration, i int, m Members) {
	s.advance(now)
	defer s.finish()
	sh := &s.shards[i]
	if m.Version <= sh.members.Version {
		return
	}
	sh.members = m
	s.learn(m)
	if !s.changing() {
		s.proposed = 0
	}
	if sh.lease == nil {
		return
	}
	sh.lease.Members(m.votes()...)
	if s.role >= Owner { // what was granted by the former voters lasts no longer (P13)
		s.dropLeft()
		s.until = min(s.until, s.lasts())
		s.Acts.Hold(s.until)
		s.advance(s.now)
	}
}

// learn takes a version for the newest, if it is, and gets to know its nodes.
func (s *Election) learn(m Members) {
	if m.Version > s.members.Version {
		s.members, s.Nodes = m, m.Voters()
	}
	known := map[string]uint64{}
	for i := range s.shards {
		for _, n := range s.shards[i].members.Nodes {
			known[n.Name] = max(known[n.Name], n.Since)
		}
	}
	for _, n := range s.members.Nodes {
		known[n.Name] = max(known[n.Name], n.Since)
	}
	for name := range s.peers {
		if _, ok := known[name]; !ok {
			s.forget(name)
		}
	}
	for name, since := range known {
		if p := s.peers[name]; name != s.Node && (p == nil || p.since != since) {
			s.forget(name)
			s.peers[name] = &peer{heard: s.now - Living, since: since}
		}
	}
}

// dropLeft forgets that nodes were given up which are no members any more: who gets such a name later is not.
func (s *Election) dropLeft() {
	names := slices.DeleteFunc(slices.Clone(s.left.Nodes), func(name string) bool {
		return s.members.Find(name) == nil
	})
	if len(names) < len(s.left.Nodes) {
		s.left = Left{s.left.Serial + 1, names}
		s.keep()
	}
}

// forget forgets what a node has said.
func (s *Election) forget(name string) {
	delete(s.peers, name)
	delete(s.lives, name)
	delete(s.falls, name)
	delete(s.counted, name)
}

// stranger says why this node is no member, or not the one that is meant; empty if it is.
func (s *Election) stranger() string {
	n := s.members.Find(s.Node)
	switch {
	case n == nil:
		return "the node is no member of the cluster"
	case n.Since != s.since && s.known():
		return "the node was removed from the cluster, and begins anew only with an empty directory"
	case n.Guest:
		return "the node is not yet a member of the cluster"
	}
	return ""
}

// known tells whether this node knows what it promised, of some shard.
func (s *Election) known() bool {
	return slices.ContainsFunc(s.shards, func(sh shard) bool {
		_, blank := sh.voter.Blank()
		return !blank
	})
}

// ErrUnderWay says that one change of the members is not finished yet.
var ErrUnderWay = errors.New("cluster: the members are being changed")

// MayChange says why the owner must not append a version of the members now (P14 to P17). If it may, it is to append it
// to the log of each shard, one after the other, and then Decided is called for each. Neither MayChange nor Unfinished
// is asked while an append of a version is under way.
func (s *Election) MayChange(now time.Duration, m Members) error {
	s.advance(now)
	defer s.finish()
	s.proposed = 0 // if it has come to no shard, it never will
	self := m.Find(s.Node)
	switch {
	case s.role != Owner:
		return ErrNotOwner
	case s.changing():
		return ErrUnderWay
	case m.Version != s.members.Version+1:
		return fmt.Errorf("cluster: the members have version %d by now", s.members.Version)
	case self == nil || self.Guest:
		return errors.New("cluster: the owner cannot be removed: another node is to serve first")
	}
	if err := m.follows(&s.members); err != nil {
		return err
	}
	for i := range s.shards {
		if err := s.bears(i, &m); err != nil {
			return err
		}
	}
	s.proposed = m.Version
	return nil
}

// changing tells whether a version is under way: not all shards have it yet.
func (s *Election) changing() bool {
	most := s.proposed
	for i := range s.shards {
		most = max(most, s.shards[i].members.Version)
	}
	return slices.ContainsFunc(s.shards, func(sh shard) bool { return sh.members.Version < most })
}

// bears says why a shard must not get a version of the members now; nil if it may: its voters would uphold the lease,
// and if they are not the same, a majority of them has durable copies that are sound, the one that is new among them
// (P16).
func (s *Election) bears(i int, m *Members) error {
	sh, durable, all := &s.shards[i], 0, m.votes()
	now := sh.members.votes()
	if sh.lease.Among(s.now, all...) <= s.now {
		return errors.New("cluster: too few of the nodes that are to be members answer")
	}
	for _, n := range m.Nodes {
		told, p := s.counted[n.Name].durable, s.peers[n.Name]
		has := !s.GivenUp(n.Name) && (p == nil || !p.report.Broken) && len(told) == s.Shards &&
			told[i] >= max(1, sh.from, s.purged[i])
		vote := voteOf(n.Name, n.Since)
		switch {
		case n.Guest:
		case !slices.Contains(now, vote) && (!has || sh.lease.Among(s.now, vote) <= s.now):
			return fmt.Errorf("cluster: node %s does not answer yet, or has not caught up", n.Name)
		case has:
			durable++
		}
	}
	if durable <= len(all)/2 && !slices.Equal(all, now) {
		return errors.New("cluster: too few of the nodes that are to be members have durable copies yet")
	}
	return nil
}

// Unfinished is a version that some shards have, and others lack: a former owner did not come to append it to them, so
// this one is to. There are none while it may not.
func (s *Election) Unfinished() (m Members, lack []int) {
	if s.role != Owner {
		return m, nil
	}
	for i := range s.shards {
		if its := s.shards[i].members; its.Version > m.Version {
			m = its
		}
	}
	for i := range s.shards {
		if s.shards[i].members.Version < m.Version && s.bears(i, &m) == nil {
			lack = append(lack, i)
		}
	}
	return m, lack
}

// lasts is until when the lease holds for all shards.
func (s *Election) lasts() time.Duration {
	until := s.now + lanes.LeaseTime
	for i := range s.shards {
		until = min(until, s.shards[i].lease.Until(s.now))
	}
	return until
}
