package beanstalk

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/tally"
)

// loopCounts are the figures of a loop that others may read.
type loopCounts struct {
	refusals [len(refusals)]atomic.Uint64
	denied   [mostCommands]atomic.Uint64 // those of the refusals that rules have caused
	latency  [mostCommands]tally.Spread
}

// refusals are the words of commands that were not carried out, the most usual first.
var refusals = [...]protocol.Word{
	protocol.TimedOut, protocol.NotFound, protocol.DeadlineSoon, protocol.Draining, protocol.BadFormat,
	protocol.UnknownCommand, protocol.OutOfMemory, protocol.JobTooBig, protocol.InternalError, protocol.ExpectedCRLF,
	protocol.NotIgnored,
}

// refuse answers a command that is not carried out.
func (l *loop) refuse(w protocol.Word) {
	l.Out = append(l.Out, w...)
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
func (s *Server) Loops() []event.Figures { return s.group.Figures() }

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

// appendStats formats the reply of stats, after the session has counted.
func (s *Server) appendStats(out []byte, session *router.Session, tubes int) []byte {
	return protocol.AppendYAML(out, func(out []byte) []byte {
		return s.appendKeys(out, session.Sums, tubes, s.opts.Load().Quoting)
	})
}

// appendKeys formats the keys of stats.
func (s *Server) appendKeys(out []byte, sums *queue.Sums, tubes int, q protocol.Quoting) []byte {
	out = fmt.Appendf(out, "current-jobs-urgent: %d\ncurrent-jobs-ready: %d\ncurrent-jobs-reserved: %d\n"+
		"current-jobs-delayed: %d\ncurrent-jobs-buried: %d\n",
		sums.Urgent, sums.Ready, sums.Reserved, sums.Delayed, sums.Buried)
	for _, v := range verbs {
		if commands[v].uncounted {
			continue
		}
		n := uint64(0)
		for _, l := range s.loops {
			n += l.counts[v].Load()
		}
		out = fmt.Appendf(out, "cmd-%s: %d\n", commands[v].name, n)
	}
	out = fmt.Appendf(out, "job-timeouts: %d\ntotal-jobs: %d\nmax-job-size: %d\ncurrent-tubes: %d\n",
		sums.Timeouts, sums.Total, s.opts.Load().MaxJobSize, tubes)
	return appendLog(s.appendProcess(out, q), s.router.LogStats(), sums.Damaged)
}

// appendProcess formats the keys that concern connections and the process. Every version quotes its number.
func (s *Server) appendProcess(out []byte, q protocol.Quoting) []byte {
	waiting, o := int64(0), s.opts.Load()
	for _, l := range s.loops {
		waiting += l.waiting.Load()
	}
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	return fmt.Appendf(out, "current-connections: %d\ncurrent-producers: %d\ncurrent-workers: %d\ncurrent-waiting: %d\n"+
		"total-connections: %d\npid: %d\nversion: \"%s\"\nrusage-utime: %d.%06d\nrusage-stime: %d.%06d\nuptime: %d\n"+
		"binlog-oldest-index: 0\nbinlog-current-index: 0\nbinlog-records-migrated: 0\nbinlog-records-written: %d\n"+
		"binlog-max-size: %d\ndraining: %t\nid: %s\nhostname: %s\nos: %s\nplatform: %s\n",
		s.open.Load(), s.producers.Load(), s.workers.Load(), waiting,
		s.total.Load(), os.Getpid(), o.Version, ru.Utime.Sec, ru.Utime.Usec, ru.Stime.Sec, ru.Stime.Usec,
		int64(s.uptime()/time.Second), s.router.LogStats().Written,
		o.BinlogMaxSize, s.router.Draining(), s.ident.id, q.Text(s.ident.hostname), q.Text(s.ident.os),
		q.Text(s.ident.platform))
}

// appendLog formats the keys that beanstalkd does not have: the figures of the log, and how many of the buried jobs are
// damaged. They come last, and are left out if there is no log.
func appendLog(out []byte, log storage.LogStats, damaged int) []byte {
	if log == (storage.LogStats{}) {
		return out
	}
	failure := "none"
	if log.Err != nil {
		failure = strconv.QuoteToASCII(log.Err.Error())
	}
	return fmt.Appendf(out, "log-syncs: %d\nlog-bytes-live: %d\nlog-bytes-on-disk: %d\n"+
		"log-error: %s\ncurrent-jobs-damaged: %d\n",
		log.Syncs, log.Live, log.Bytes, failure, damaged)
}

// Stats is the body of the reply of stats with these sums, in which no text is quoted but
// the version.
func (s *Server) Stats(sums *queue.Sums) []byte {
	return s.appendKeys(nil, sums, s.router.Tubes(), protocol.QuoteNever)
}
