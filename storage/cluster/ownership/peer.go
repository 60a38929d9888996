package ownership

import (
	"fmt"
	"slices"
	"time"
)

// peer is another node.
type peer struct {
	since  uint64 // see Member.Since
	nonce  uint64 // 0: it was never heard
	former uint64 // of the process before
	heard  time.Duration
	report Report
	stands time.Duration // since when it is a candidate, as far as that was heard; 0: it is none
	past   int           // of its Failures, those up to when somebody owned the shards
	well   int           // for how many beats in a row it could have owned the shards, as the owner counts
}

// refuse says what is wrong with a message.
func (s *Election) refuse(m *Message, p *peer) string {
	switch {
	case m.Version != Major:
		return fmt.Sprintf("its messages have version %d, this program (%s) knows %d", m.Version, s.Version, Major)
	case m.Cluster != s.Cluster:
		return fmt.Sprintf("it belongs to cluster %q", m.Cluster)
	case p == nil:
		return "the cluster has no such node"
	case m.Report.Since != p.since && slices.ContainsFunc(m.Report.Promised, func(e uint64) bool { return e > 0 }):
		return "it was removed from the cluster, and another one has its name"
	case p.former != 0 && m.Nonce == p.former && s.now-p.heard < Living: // else it was the other one that is gone
		return stale
	case len(m.Epochs) > 0 && len(m.Epochs) != s.Shards:
		return fmt.Sprintf("it has %d shards, this one %d", len(m.Epochs), s.Shards)
	}
	return ""
}

// stale is said of what a process has sent that is gone.
const stale = "that process is gone"

// strange is what is wrong with a node's messages.
type strange struct {
	why     string
	version bool // another version has sent them
}

// refused says it once for each name.
func (s *Election) refused(m *Message, why string) {
	if is := (strange{why, m.Version != Major}); why != stale && s.strange[m.From] != is && len(s.strange) < 100 {
		s.strange[m.From] = is
		s.Logger.Error("messages of a node are refused", "node", m.From, "why", why)
	}
}

// Strange says why the messages of a node are refused; empty if they are not.
func (s *Election) Strange(name string) string { return s.strange[name].why }

// Alone says that this program's version is not that of most nodes, so that it can do nothing with them;
// empty if that is not so.
func (s *Election) Alone() (why string) {
	n := 0
	for _, name := range s.Nodes {
		if is := s.strange[name]; is.version {
			n, why = n+1, fmt.Sprintf("node %s: %s", name, is.why)
		}
	}
	if !s.majority(n) {
		return ""
	}
	return why
}

// hear notes what every message says.
func (s *Election) hear(p *peer, m *Message) {
	gone := p.nonce != 0 && p.nonce != m.Nonce
	// it does not own the shards any more
	if s.owner == m.From && (gone || m.Kind == Hello && m.Report.Role == Follower.String()) {
		s.owner, s.vacant = "", min(s.vacant, s.now)
	}
	if p.nonce != m.Nonce {
		p.former = p.nonce
	}
	p.nonce, p.heard, p.report = m.Nonce, s.now, m.Report
	p.report.Failures = max(0, p.report.Failures)
	p.past = min(p.past, p.report.Failures)
	delete(s.strange, m.From)
	if p.report.Role != Candidate.String() {
		p.stands = 0
	} else if p.stands == 0 {
		p.stands = s.now
	}
	if p.report.Life == 0 {
		delete(s.lives, m.From)
	} else {
		s.lives[m.From] = p.report.Life
	}
	if p.report.Left.Serial > s.left.Serial {
		s.left = p.report.Left
		s.keep()
	}
}

// alive tells whether another node lives, as far as it was heard.
func (s *Election) alive(name string) bool {
	if name == s.Node {
		return true
	}
	p := s.peers[name]
	return p != nil && p.nonce != 0 && s.now-p.heard < Living
}

// count counts the living voters of which something is true, this node included.
func (s *Election) count(self bool, of func(*Report) bool) (n int) {
	for _, name := range s.Nodes {
		if name == s.Node && self || name != s.Node && s.alive(name) && of(&s.peers[name].report) {
			n++
		}
	}
	return n
}

func (s *Election) majority(n int) bool { return n > len(s.Nodes)/2 }

// isolated tells whether the node hears no majority.
func (s *Election) isolated() bool {
	return !s.majority(s.count(true, func(*Report) bool { return true }))
}

// missing is how many records of a shard the node knows that it lacks.
func (s *Election) missing(i int) uint64 {
	newest := s.shards[i].Place
	for name, p := range s.peers {
		if s.alive(name) && i < len(p.report.Places) {
			newest = max(newest, p.report.Places[i])
		}
	}
	return newest - s.shards[i].Place
}

func (s *Election) caughtUp() bool {
	for i := range s.shards {
		if s.missing(i) > slack {
			return false
		}
	}
	return true
}

// Stopping is what a node says of itself last, if its process is ended in order.
const Stopping = "the node is stopping"

// unread tells whether the node must read lanes before it can own the shards. While there is an owner they always
// grow, so to have read them once is enough then.
func (s *Election) unread() bool {
	silent := s.silent()
	return !s.without.patience && slices.ContainsFunc(s.shards, func(sh shard) bool {
		return !sh.read || silent && sh.Unread
	})
}

// unfit says why the node cannot own the shards, whoever else does; empty if it can.
func (s *Election) unfit() string {
	switch {
	case s.closing:
		return Stopping
	case s.stranger() != "":
		return s.stranger()
	case s.Fault != "":
		return s.Fault
	case s.drained:
		return "the node is drained"
	case s.open && s.role < Owner:
		return "the server has not ended an earlier term yet"
	case s.now-s.started < listen:
		return "the node has just been started"
	case s.isolated():
		return "too few of the other nodes can be reached"
	case s.role == Follower && s.unread():
		return "the node reads what the lanes have"
	case !s.caughtUp() && s.now-s.vacant < desperate-Silence:
		return "the node has not caught up"
	}
	return s.broken()
}

// fit tells whether the node could own the shards now.
func (s *Election) fit(why string) bool { return why == "" && s.now >= s.retry }

// broken says what is wrong with a copy; empty if nothing is.
func (s *Election) broken() string {
	for i := range s.shards {
		if why := s.shards[i].Problem; why != "" {
			return why
		}
	}
	return ""
}

// best is the first other node in the order that could own the shards: rather one whose disk has room.
func (s *Election) best() (name string) {
	for _, other := range s.Nodes {
		if other == s.Node || !s.alive(other) || !s.peers[other].report.Fit {
			continue
		}
		if name == "" || s.peers[name].report.Low && !s.peers[other].report.Low {
			name = other
		}
	}
	return name
}

// standsBefore tells whether another node stands before this one does.
func (s *Election) standsBefore(other string) bool {
	p := s.peers[other]
	if p == nil || !s.alive(other) || !p.report.Fit {
		return false
	}
	if p.report.Low != s.isLow() {
		return s.isLow()
	}
	return slices.Index(s.Nodes, other) < slices.Index(s.Nodes, s.Node)
}

// Report is what the node says of itself.
func (s *Election) Report() Report {
	why := s.unfit()
	r := Report{
		Role: s.role.String(), Version: s.Version, Fit: s.fit(why), Broken: s.broken()+s.Fault != "",
		Low: s.isLow(), Silent: s.silent(), Since: s.since, Drained: s.drained, Left: s.left, Failures: s.failures,
		Promised: make([]uint64, s.Shards), Places: make([]uint64, s.Shards), Durable: make([]uint64, s.Shards),
		Addresses: s.At,
	}
	if why != "" {
		r.Problems = append(r.Problems, why)
	}
	if s.Low != "" {
		r.Problems = append(r.Problems, s.Low)
	}
	for i := range s.shards {
		sh := &s.shards[i]
		r.Promised[i], r.Places[i], r.Durable[i] = sh.voter.Promised(), sh.Place, sh.Durable
		if life, blank := sh.voter.Blank(); blank {
			r.Life = life
		}
		if sh.Problem != "" && !slices.Contains(r.Problems, sh.Problem) {
			r.Problems = append(r.Problems, sh.Problem)
		}
		if sh.Damaged != "" {
			r.Problems, r.Damaged = append(r.Problems, sh.Damaged), append(r.Damaged, i)
		}
		if sh.Remark != "" {
			r.Problems = append(r.Problems, sh.Remark)
		}
	}
	if s.role >= Elected {
		r.Epochs = s.epochs
	}
	return r
}
