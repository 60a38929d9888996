package beanstalk

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
)

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
