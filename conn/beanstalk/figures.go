package beanstalk

import (
	"strings"
	"sync/atomic"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/storage/tally"
)

// LoopFigures are those of an event loop. Rounds and events may be a few rounds old.
type LoopFigures struct {
	Rounds, Events uint64
	Connections    int
}

// loopCounts are the figures of a loop that others may read.
type loopCounts struct {
	rounds, events atomic.Uint64
	connections    atomic.Int64
	refusals       [len(refusals)]atomic.Uint64
	denied         [mostCommands]atomic.Uint64 // those of the refusals that rules have caused
	latency        [mostCommands]tally.Spread
}

// publishEvery is after how many rounds a loop publishes its figures. To do so before each
// sleep would cost as much as a short command.
const publishEvery = 16

// round counts a round of the loop.
func (l *loop) round(events int) {
	l.rounds++
	l.events += uint64(events)
	if l.rounds%publishEvery == 0 {
		l.publish()
	}
}

func (l *loop) publish() {
	l.figures.rounds.Store(l.rounds)
	l.figures.events.Store(l.events)
}

// refusals are the words of commands that were not carried out, the most usual first.
var refusals = [...]protocol.Word{
	protocol.TimedOut, protocol.NotFound, protocol.DeadlineSoon, protocol.Draining, protocol.BadFormat,
	protocol.UnknownCommand, protocol.OutOfMemory, protocol.JobTooBig, protocol.InternalError, protocol.ExpectedCRLF,
	protocol.NotIgnored,
}

// refuse answers a command that is not carried out.
func (l *loop) refuse(w protocol.Word) {
	l.out = append(l.out, w...)
	l.countRefusal(w)
}

func (l *loop) countRefusal(w protocol.Word) {
	for i, r := range refusals {
		if r == w {
			n := &l.figures.refusals[i]
			n.Store(n.Load() + 1)
			return
		}
	}
}

// countDenied counts a command that the client may not run.
func (l *loop) countDenied(v protocol.Verb) {
	n := &l.figures.denied[v]
	n.Store(n.Load() + 1)
}

// sampleEvery: the time of one run in so many is taken. Reading the clock twice for each
// run would cost a percent of the throughput. It is a prime, so that it does not follow any
// rhythm of the clients' commands.
const sampleEvery = 61

// sample begins to take the time of a run, if that run is one of the sample.
func (l *loop) sample(r *run) {
	if l.unsampled--; l.unsampled <= 0 {
		l.unsampled = sampleEvery
		r.began = l.server.router.Now()
	}
}

// sampled counts how long the commands of a run took, when they have been answered.
func (l *loop) sampled(r *run) {
	took := tally.Time(l.server.router.Now() - r.began)
	r.began = 0
	for _, v := range r.verbs[r.answered:r.Next] {
		l.figures.latency[v].Add(took, 1)
	}
}

// Loops are the figures of the loops. Any goroutine may call it, and those below.
func (s *Server) Loops() (list []LoopFigures) {
	for _, l := range s.loops {
		f := &l.figures
		list = append(list, LoopFigures{f.rounds.Load(), f.events.Load(), int(f.connections.Load())})
	}
	return list
}

// Refusals are how many commands were not carried out, by the word of the answer.
func (s *Server) Refusals() map[string]uint64 {
	m := map[string]uint64{}
	for i, w := range refusals {
		for _, l := range s.loops {
			m[strings.TrimSpace(string(w))] += l.figures.refusals[i].Load()
		}
	}
	return m
}

// Denied are how many commands were refused because of the rules, by command: those that can
// be, if there are rules. Tokens that were wrong count as "auth".
func (s *Server) Denied() map[string]uint64 {
	m := map[string]uint64{}
	for _, v := range verbs {
		n := uint64(0)
		for _, l := range s.loops {
			n += l.figures.denied[v].Load()
		}
		if n > 0 || s.book.Load() != nil && commands[v].refused != "" {
			m[commands[v].name] = n
		}
	}
	return m
}

// Latency is how long commands took from when they were handed to their shard until they
// were answered, by command, in steps of tally.Time. It is a sample: of one run of commands
// in 61. Commands that need several shards, or none, are not in it.
func (s *Server) Latency() map[string]*tally.Reading {
	m := map[string]*tally.Reading{}
	for _, v := range verbs {
		if commands[v].op == 0 {
			continue // it does not go into runs
		}
		r := &tally.Reading{}
		for _, l := range s.loops {
			l.figures.latency[v].ReadTo(r)
		}
		m[commands[v].name] = r
	}
	return m
}

// Connections is how many there are.
func (s *Server) Connections() int { return int(s.open.Load()) }
