package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
)

// guard is what a connection may do. It has one from its first command under rules on.
//
// Rights on the tube in use are found when the tube is chosen, and kept. Operations that name a
// job are judged by the job's shard, which alone knows the tube. Whether the rules have been
// replaced costs one atomic load for all commands that come in one read.
type guard struct {
	policy     *access.Policy // by which the rest was judged
	subject    *access.Subject
	authorizer queue.Authorizer
	used       access.Rights // on the tube in use
	id         access.Identity
	wrong      int    // tokens that the connection has shown
	entry      uint64 // id of the put that has brought the latest token; 0 for the command auth
	sieve      *sieve // of list-tubes; nil if none is under way
	// recalled are commands that come before any input; nil if there are none.
	recalled []recalled
	// stale says that the watched tubes have not been reviewed since subject was found.
	stale bool
}

// sieve is a list of tubes of which only those remain that the client sees.
type sieve struct {
	left [][]string
	seen router.Names
}

func (v *sieve) sift(names []string, s *access.Subject) {
	var seen []string
	for _, name := range names {
		if s.Sees(name) {
			seen = append(seen, name)
			v.seen.Bytes += len(name)
		}
	}
	if len(seen) > 0 {
		v.seen.Count += len(seen)
		v.seen.Chunks = append(v.seen.Chunks, seen)
	}
}

// recalled is a command of a run that ended because other rules hold (recall.go).
type recalled struct {
	verb protocol.Verb
	op   queue.Op // not yet applied, and with memory of its own (B2)
}

// endDelay ends the wait of a wrong token's answer, if there is one.
func (c *Conn) endDelay() {
	if c.refusalDue {
		c.refusalDue = false
		c.loop.server.guesses.Answered(c.guard.id.Addr)
	}
}
