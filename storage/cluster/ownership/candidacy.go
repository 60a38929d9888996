package ownership

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"beanfield/storage/lanes"
)

var (
	// ErrLease says that too few nodes have answered the owner's beats.
	ErrLease = errors.New("cluster: too few nodes have answered, so this one may not own the shards any more")
	// ErrLate says that a candidacy has come to nothing in time.
	ErrLate = errors.New("cluster: the shards could not be taken over in time")
	// ErrOvertaken says that another node owns the shards by now.
	ErrOvertaken = errors.New("cluster: another node owns the shards by now")
	// ErrUnfit says that the node cannot own the shards any more.
	ErrUnfit = errors.New("cluster: the node cannot own the shards")
)

// silent tells whether the node has heard no owner for too long.
func (s *Election) silent() bool { return s.role < Owner && s.now >= s.vacant }

// mayStand says why the node does not stand now; empty if it does. Of all that have not heard an
// owner, and could own the shards, the first in the order stands; the others wait whether it does.
func (s *Election) mayStand() string {
	switch {
	case s.role != Follower:
		return "the node stands already"
	case s.now < s.vacant || s.now < s.retry:
		return "there may be an owner"
	}
	if why := s.unfit(); why != "" {
		return why
	}
	rank := time.Duration(0)
	for _, name := range s.Nodes {
		if s.standsBefore(name) {
			rank++
		}
	}
	late := 2 * max(0, min(s.agreed-s.vacant, postpone))
	switch {
	case s.now < max(s.vacant+rank*late, s.held())+rank*Step:
		return "there may be an owner"
	case !s.without.quiet && s.agreed == 0:
		return "other nodes hear an owner"
	}
	return ""
}

// agree notes since when a majority says that it hears no owner. All have heard the last beat at about one time: so how
// late that is tells how long a word takes from node to node now, also the word that one stands.
func (s *Election) agree() {
	if !s.majority(s.count(s.silent(), func(r *Report) bool { return r.Silent })) {
		s.agreed = 0
	} else if s.agreed == 0 {
		s.agreed = s.now
	}
}

// held is until when the others that stand have time to do so.
func (s *Election) held() (until time.Duration) {
	for name, p := range s.peers {
		if p.stands != 0 && s.alive(name) {
			until = max(until, p.stands+s.patience(postpone))
		}
	}
	return until
}

// patience is how long something of a candidacy may take: a time, and that of the answers that it waits for, if they
// come as slowly as the engine's answers do now. Each candidacy that comes to nothing, of whatever node, doubles it.
func (s *Election) patience(least time.Duration) time.Duration {
	if s.without.patience {
		return least
	}
	took, failed := time.Duration(0), s.failures
	for i := range s.shards {
		took = max(took, s.shards[i].Took)
	}
	for name, p := range s.peers {
		if s.alive(name) {
			failed += min(doublings, p.report.Failures-p.past)
		}
	}
	return (least + answers*min(took, Limit)) << min(failed, doublings)
}

// Why says why nobody owns the shards at this node, for people.
func (s *Election) Why() string {
	if s.role >= Owner {
		return ""
	}
	if why := s.unfit(); why != "" {
		return why
	}
	if s.owner != "" && s.owner != s.Node && s.now < s.vacant {
		return "node " + s.owner + " serves"
	}
	return "no node serves yet"
}

// stand begins a candidacy.
func (s *Election) stand() {
	s.role, s.stoodAt, s.pinned = Candidate, s.now, false
	for i := range s.shards {
		sh := &s.shards[i]
		sh.stood, sh.epoch, sh.lease = false, 0, nil
		sh.standing, sh.shown = maps.Clone(s.lives), map[string]uint64{}
		if life, blank := sh.voter.Blank(); blank {
			sh.standing[s.Node] = life
		}
	}
	s.Logger.Info("this node is about to take the shards over", "silent for", s.now-s.vacant+Silence)
	s.Acts.Stand()
}

// Changed tells that a shard's driver has another role. What the Election knows of the copy is of now, or newer.
func (s *Election) Changed(now time.Duration, i int, role lanes.Role, epoch uint64, why error) {
	s.advance(now)
	defer s.finish()
	sh := &s.shards[i]
	sh.role = role
	switch {
	case role == lanes.Candidate:
		sh.stood = s.role == Candidate
	case role == lanes.Owner && (s.role != Candidate || !sh.stood):
		s.Acts.Resign() // it comes too late
	case role == lanes.Owner:
		sh.epoch, sh.lease = epoch, lanes.NewLease(epoch, sh.members.votes()...)
		sh.from = sh.Place
		maps.Copy(sh.shown, sh.standing)
		s.elect()
	case !sh.stood:
	default:
		s.quit(fmt.Errorf("%w: shard %d: %w", ErrOvertaken, i, why))
	}
}

// elect makes the owner of all shards ask for its lease.
func (s *Election) elect() {
	epochs := make([]uint64, len(s.shards))
	for i := range s.shards {
		sh := &s.shards[i]
		if sh.epoch == 0 {
			return
		}
		epochs[i] = sh.epoch
	}
	s.role, s.epochs, s.counted, s.target = Elected, epochs, map[string]counted{}, ""
	s.purged = make([]uint64, s.Shards)
	for _, p := range s.peers {
		p.well = 0
	}
	s.beat()
}

// quit ends a term, or a candidacy, whichever there is.
func (s *Election) quit(why error) {
	switch {
	case s.role >= Owner || s.open && s.role == Elected:
		s.lose(why)
	case s.role >= Candidate:
		s.giveUp(why)
	}
}

// giveUp ends a candidacy. The others have time to try before this node stands again.
func (s *Election) giveUp(why error) {
	if s.role == Elected { // it has handed nothing out, and never will
		m := s.Message(Ended, "")
		m.Epochs = s.epochs
		s.end(s.epochs)
		s.Acts.Send(m)
	}
	wait := min(s.patience(pause), Limit)
	s.failures++
	s.role, s.retry = Follower, s.now+wait+time.Duration(s.Random.Int64N(int64(wait)))
	s.Logger.Warn("this node has not taken the shards over", "error", why)
	s.resign()
}

// resign ends all that the node has begun as a candidate or an owner.
func (s *Election) resign() {
	for i := range s.shards {
		sh := &s.shards[i]
		if sh.lease != nil {
			sh.lease.End()
		}
		sh.stood, sh.epoch, sh.lease, sh.shown, sh.standing = false, 0, nil, nil, nil
	}
	s.until, s.proposed = 0, 0
	s.Acts.Resign()
}
