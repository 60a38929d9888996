package ownership

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// What operators can have done.
const (
	Move  = "move"  // the owner hands over to the target
	Drain = "drain" // the node that is told owns nothing until that is undone
	Leave = "leave" // the owner gives the target up, or, if that is undone, counts it again
)

// ErrNotOwner says that only the owner can do that.
var ErrNotOwner = errors.New("cluster: this node does not own the shards")

// Obey does what an operator has ordered.
func (s *Election) Obey(now time.Duration, command, target string, undo bool) error {
	s.advance(now)
	defer s.finish()
	switch command {
	case Move:
		return s.move(target)
	case Drain:
		return s.drain(undo)
	case Leave:
		return s.giveNodeUp(target, undo)
	}
	return fmt.Errorf("cluster: this version knows no order %q", command)
}

func (s *Election) move(target string) error {
	p := s.peers[target]
	switch {
	case s.role < Owner:
		return ErrNotOwner
	case target == s.Node:
		s.pinned = true
		return nil
	case p == nil:
		return fmt.Errorf("cluster: there is no node %q", target)
	case !s.alive(target):
		return fmt.Errorf("cluster: node %s cannot be reached", target)
	case p.report.Low && !s.isLow():
		return fmt.Errorf("cluster: node %s has, or had just now, too little room on its disk, or a damaged copy",
			target)
	case !p.report.Fit:
		return fmt.Errorf("cluster: node %s cannot own the shards: %v", target, p.report.Problems)
	}
	if s.role == Owner {
		s.leave(target)
	}
	s.target, s.moved = target, true
	return nil
}

func (s *Election) drain(undo bool) error {
	if !undo && s.role >= Owner && s.best() == "" {
		return errors.New("cluster: no other node could own the shards now")
	}
	s.drained = !undo
	s.keep()
	s.retire()
	return nil
}

// Close has the node own nothing any more. It tells whether there is something to hand over: then
// the server is to stop, and to call End.
func (s *Election) Close(now time.Duration) (leaving bool) {
	s.advance(now)
	defer s.finish()
	s.closing = true
	switch s.role {
	case Candidate, Elected:
		s.quit(errors.New("cluster: the node is stopping"))
	case Owner:
		s.leave(s.best())
	}
	return s.open
}

// ErrStuck says that the owner could not append for too long.
var ErrStuck = errors.New("cluster: appends come to nothing at this node")

// unstick has an owner that cannot append leave, if another node could do better.
func (s *Election) unstick() {
	switch {
	case s.Waits < stuck || s.best() == "":
	case s.role == Owner:
		s.Logger.Warn("this node cannot append, and hands the shards over", "waiting for", s.Waits)
		s.leave(s.best())
		s.unwell = true
	case s.role == Leaving && s.Waits >= 2*stuck:
		s.lose(ErrStuck)
	}
}

// lowFor is for how long a node counts as low after its disk has room again. Nodes whose disks
// fill up side by side would hand the shards around.
const lowFor = time.Minute

// isLow tells whether rather another node owns the shards.
func (s *Election) isLow() bool { return s.worse() != "" || s.now < s.lowUntil }

// worse is what is wrong with a node that may own the shards if none is better.
func (s *Election) worse() string {
	why := s.Low
	for i := range s.shards {
		why = cmp.Or(why, s.shards[i].Damaged)
	}
	return why
}

// retire has an owner with a fault, or a drained one, leave when another node can take its place, and one whose disk is
// nearly full, or whose copy is damaged, when that of another one is not.
func (s *Election) retire() {
	if s.role != Owner {
		return
	}
	switch best := s.best(); {
	case best == "":
	case s.Fault != "" || s.worse() != "" && !s.peers[best].report.Low:
		s.Logger.Warn("this node hands the shards over, because something is wrong with it", "why",
			cmp.Or(s.Fault, s.worse()))
		s.leave(best)
		s.unwell = true
	case s.drained:
		s.leave(best)
	}
}

// giveNodeUp changes which nodes' copies hold up purges (P8).
func (s *Election) giveNodeUp(target string, undo bool) error {
	switch {
	case s.role < Owner:
		return ErrNotOwner
	case s.members.Find(target) == nil:
		return fmt.Errorf("cluster: there is no node %q", target)
	case slices.Contains(s.left.Nodes, target) == !undo:
		return nil
	case undo:
		i := slices.Index(s.left.Nodes, target)
		s.left.Nodes = slices.Delete(slices.Clone(s.left.Nodes), i, i+1)
	case target == s.Node:
		return errors.New("cluster: the owner cannot be given up; hand over first")
	case slices.Contains(s.Nodes, target) && !s.remain(s.Nodes, append(slices.Clone(s.left.Nodes), target)):
		return errors.New("cluster: too few nodes would be left")
	default:
		s.left.Nodes = append(slices.Clone(s.left.Nodes), target)
	}
	s.left.Serial++
	s.keep()
	return nil
}

// remain tells whether a majority of some voters is left without those that are given up.
func (s *Election) remain(voters, left []string) bool {
	n := len(voters)
	for _, name := range voters {
		if slices.Contains(left, name) {
			n--
		}
	}
	return n > len(voters)/2
}

// purge frees what every counted copy has durably folded. A node that has not answered in this
// ownership counts from 0 (P8). While the members change it frees nothing (P16).
func (s *Election) purge() {
	if s.role < Owner || s.now < s.purgeNext || s.changing() {
		return
	}
	s.purgeNext = s.now + time.Second
	changed := false
	for i := range s.shards {
		least := s.Least(i)
		changed = changed || least > s.purged[i]
		s.purged[i] = max(s.purged[i], least)
	}
	if changed {
		s.Acts.Purge(slices.Clone(s.purged))
	}
}

// Least is the number up to which every counted copy of a shard is durable, as the owner knows.
func (s *Election) Least(i int) uint64 {
	least, its := s.shards[i].Durable, &s.shards[i].members
	if !s.remain(its.Voters(), s.left.Nodes) {
		return 0
	}
	for _, n := range its.Nodes {
		if s.GivenUp(n.Name) {
			continue
		}
		told := s.counted[n.Name].durable
		if len(told) != s.Shards {
			return 0
		}
		least = min(least, told[i])
	}
	return least
}

// Purged is the number up to which the owner has had a shard's lanes purged.
func (s *Election) Purged(i int) uint64 {
	if s.role < Owner {
		return 0
	}
	return s.purged[i]
}
