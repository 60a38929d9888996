package beanstalk

import (
	"sync/atomic"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
)

// loop is an event loop, and what all of its connections use in turn to run their commands.
type loop struct {
	event.Loop
	server *Server

	// touched by the loop's goroutine only
	// command is the one that is being run. It could not be on the stack: the table has functions
	// that might keep it.
	command  protocol.Command
	untold   *slow.Refusal    // of it, without its line; nil for none
	arriving incoming         // likewise, if it has a body
	putLine  protocol.PutLine // and options of a put

	reserveLine protocol.ReserveLine // or of a reserve
	latest      latest
	runs        []*run // unused
	kept        int    // bytes that they keep
	// of the recheck: the connections that are to be looked at, how many it has passed, and the rules when it began
	judged    int
	rechecked *access.Policy
	partly    *Conn    // of whose watched tubes a part is still to be looked at, and
	tubes     int      // how many have been
	late      bool     // one more is to follow
	ids       []uint64 // scratch: those that a command names
	joined    []byte   // a body that came in parts; valid until the next one (B3)
	unsampled int      // runs until the next one whose time is taken

	recheck atomic.Bool // other rules hold: connections that wait are to be judged anew
	// read by stats from other loops
	counts  [mostCommands]atomic.Uint64
	waiting atomic.Int64
	figures loopCounts // read by the metrics
}

// join makes a loop for the server.
func (s *Server) join() error {
	l := &loop{server: s}
	l.AfterRound = l.endRound
	s.loops = append(s.loops, l)
	return s.group.Join(&l.Loop)
}

// count counts a command for stats. The loop alone writes, so no locked
// addition is needed.
func (l *loop) count(v protocol.Verb) { l.counts[v].Store(l.counts[v].Load() + 1) }

// effortAlone is how much work a command is that the session runs by itself. One that goes into a run costs 1.
const effortAlone = 8

// latest is the last run that was answered at once, while the time since then is not known.
type latest struct {
	conn  *Conn         // nil for none
	at    int64         // when its turn began
	verb  protocol.Verb // of its first command
	count int
	tube  string
	id    uint64
}
