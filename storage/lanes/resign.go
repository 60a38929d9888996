package lanes

import "errors"

// ErrResigned says that the node has given up a candidacy or an ownership by itself.
var ErrResigned = errors.New("lanes: the node does not own the shard any more, nor stand for it")

// Resign ends a candidacy or an ownership at once. What was sent may still land, as with one
// that a newer epoch ends; to write again the node stands again, for a newer epoch.
func (l *Log) Resign() {
	if l.role != Follower {
		l.stepBack(ErrResigned)
		l.requests = nil
	}
}

// Seen is the newest epoch that was read on any lane, or heard of.
func (l *Log) Seen() uint64 { return l.seen }

// InUse is the lane that the owner appends to.
func (l *Log) InUse() int { return l.at }
