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
	out = protocol.AppendInt(out, "current-jobs-urgent", int64(sums.Urgent))
	out = protocol.AppendInt(out, "current-jobs-ready", int64(sums.Ready))
	out = protocol.AppendInt(out, "current-jobs-reserved", int64(sums.Reserved))
	out = protocol.AppendInt(out, "current-jobs-delayed", int64(sums.Delayed))
	out = protocol.AppendInt(out, "current-jobs-buried", int64(sums.Buried))
	for _, v := range verbs {
		if commands[v].uncounted {
			continue
		}
		n := uint64(0)
		for _, l := range s.loops {
			n += l.counts[v].Load()
		}
		out = protocol.AppendUint(out, "cmd-"+commands[v].name, n)
	}
	out = protocol.AppendUint(out, "job-timeouts", sums.Timeouts)
	out = protocol.AppendUint(out, "total-jobs", sums.Total)
	out = protocol.AppendInt(out, "max-job-size", int64(s.opts.Load().MaxJobSize))
	out = protocol.AppendInt(out, "current-tubes", int64(tubes))
	return s.appendProcess(out, sums.Damaged, q)
}

// appendProcess formats the keys that concern connections and the process.
func (s *Server) appendProcess(out []byte, damaged int, q protocol.Quoting) []byte {
	waiting := int64(0)
	for _, l := range s.loops {
		waiting += l.waiting.Load()
	}
	out = protocol.AppendInt(out, "current-connections", s.open.Load())
	out = protocol.AppendInt(out, "current-producers", s.producers.Load())
	out = protocol.AppendInt(out, "current-workers", s.workers.Load())
	out = protocol.AppendInt(out, "current-waiting", waiting)
	out = protocol.AppendUint(out, "total-connections", s.total.Load())
	out = protocol.AppendInt(out, "pid", int64(os.Getpid()))
	out = protocol.AppendRaw(out, "version", `"`+s.opts.Load().Version+`"`) // quoted by every version
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	out = appendTime(out, "rusage-utime", ru.Utime)
	out = appendTime(out, "rusage-stime", ru.Stime)
	out = protocol.AppendInt(out, "uptime", int64(s.uptime()/time.Second))
	out = protocol.AppendInt(out, "binlog-oldest-index", 0)
	out = protocol.AppendInt(out, "binlog-current-index", 0)
	out = protocol.AppendInt(out, "binlog-records-migrated", 0)
	log := s.router.LogStats()
	out = protocol.AppendUint(out, "binlog-records-written", log.Written)
	out = protocol.AppendInt(out, "binlog-max-size", int64(s.opts.Load().BinlogMaxSize))
	out = protocol.AppendRaw(out, "draining", fmt.Sprint(s.router.Draining()))
	out = protocol.AppendRaw(out, "id", s.ident.id)
	out = protocol.AppendString(out, "hostname", s.ident.hostname, q)
	out = protocol.AppendString(out, "os", s.ident.os, q)
	out = protocol.AppendString(out, "platform", s.ident.platform, q)
	return appendLog(out, log, damaged)
}

// appendLog formats the keys that beanstalkd does not have: the figures of the log.
// They come last, and are left out if there is no log.
func appendLog(out []byte, log storage.LogStats, damaged int) []byte {
	if log == (storage.LogStats{}) {
		return out
	}
	out = protocol.AppendUint(out, "log-syncs", log.Syncs)
	out = protocol.AppendUint(out, "log-bytes-live", log.Live)
	out = protocol.AppendUint(out, "log-bytes-on-disk", log.Bytes)
	if log.Err == nil {
		out = protocol.AppendRaw(out, "log-error", "none")
	} else {
		out = protocol.AppendRaw(out, "log-error", strconv.QuoteToASCII(log.Err.Error()))
	}
	return protocol.AppendInt(out, "current-jobs-damaged", int64(damaged)) // of the buried ones
}

func appendTime(out []byte, key string, t syscall.Timeval) []byte {
	return append(out, fmt.Sprintf("%s: %d.%06d\n", key, t.Sec, t.Usec)...)
}

// Stats is the body of the reply of stats with these sums, in which no text is quoted but
// the version.
func (s *Server) Stats(sums *queue.Sums) []byte {
	return s.appendKeys(nil, sums, s.router.Tubes(), protocol.QuoteNever)
}
