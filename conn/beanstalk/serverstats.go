package beanstalk

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
)

// identity is what stats says of the process, and never changes.
type identity struct {
	started                time.Time
	id                     string
	hostname, os, platform string
}

func newIdentity() (identity, error) {
	n := identity{started: time.Now()}
	for n.id == "" || !strings.ContainsAny(n.id, "abcdf") || !plain(n.id) {
		// It is never quoted, so no YAML reader may take it for a number: it has a
		// letter that is not an e, and is not 0b with binary digits.
		var b [8]byte
		rand.Read(b[:])
		n.id = hex.EncodeToString(b[:])
	}
	var u syscall.Utsname
	if err := syscall.Uname(&u); err != nil {
		return n, fmt.Errorf("beanstalk: uname: %w", err)
	}
	n.os, n.platform = utsString(u.Version[:]), utsString(u.Machine[:])
	n.hostname = utsString(u.Nodename[:])
	return n, nil
}

func utsString(field []int8) string {
	var b strings.Builder
	for _, c := range field {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}

// commandKeys are the counters of stats, in the order of the reply.
// reserve-job and kick-job have none.
var commandKeys = [...]struct {
	key  string
	verb verb
}{
	{"cmd-put", verbPut},
	{"cmd-peek", verbPeek},
	{"cmd-peek-ready", verbPeekReady},
	{"cmd-peek-delayed", verbPeekDelayed},
	{"cmd-peek-buried", verbPeekBuried},
	{"cmd-reserve", verbReserve},
	{"cmd-reserve-with-timeout", verbReserveTimeout},
	{"cmd-delete", verbDelete},
	{"cmd-release", verbRelease},
	{"cmd-use", verbUse},
	{"cmd-watch", verbWatch},
	{"cmd-ignore", verbIgnore},
	{"cmd-bury", verbBury},
	{"cmd-kick", verbKick},
	{"cmd-touch", verbTouch},
	{"cmd-stats", verbStats},
	{"cmd-stats-job", verbStatsJob},
	{"cmd-stats-tube", verbStatsTube},
	{"cmd-list-tubes", verbListTubes},
	{"cmd-list-tube-used", verbListTubeUsed},
	{"cmd-list-tubes-watched", verbListTubesWatched},
	{"cmd-pause-tube", verbPauseTube},
}

// appendStats formats the reply of stats, after the session has counted.
func (s *Server) appendStats(out []byte, session *router.Session, tubes int) []byte {
	return appendYAML(out, func(out []byte) []byte { return s.appendKeys(out, session.Sums, tubes, s.opts.Load().Quoting) })
}

// appendKeys formats the keys of stats.
func (s *Server) appendKeys(out []byte, sums *queue.Sums, tubes int, q Quoting) []byte {
	out = appendInt(out, "current-jobs-urgent", int64(sums.Urgent))
	out = appendInt(out, "current-jobs-ready", int64(sums.Ready))
	out = appendInt(out, "current-jobs-reserved", int64(sums.Reserved))
	out = appendInt(out, "current-jobs-delayed", int64(sums.Delayed))
	out = appendInt(out, "current-jobs-buried", int64(sums.Buried))
	for _, k := range commandKeys {
		n := uint64(0)
		for _, l := range s.loops {
			n += l.counts[k.verb].Load()
		}
		out = appendUint(out, k.key, n)
	}
	out = appendUint(out, "job-timeouts", sums.Timeouts)
	out = appendUint(out, "total-jobs", sums.Total)
	out = appendInt(out, "max-job-size", int64(s.opts.Load().MaxJobSize))
	out = appendInt(out, "current-tubes", int64(tubes))
	return s.appendProcess(out, sums.Damaged, q)
}

// appendProcess formats the keys that concern connections and the process.
func (s *Server) appendProcess(out []byte, damaged int, q Quoting) []byte {
	waiting := int64(0)
	for _, l := range s.loops {
		waiting += l.waiting.Load()
	}
	out = appendInt(out, "current-connections", s.open.Load())
	out = appendInt(out, "current-producers", s.producers.Load())
	out = appendInt(out, "current-workers", s.workers.Load())
	out = appendInt(out, "current-waiting", waiting)
	out = appendUint(out, "total-connections", s.total.Load())
	out = appendInt(out, "pid", int64(os.Getpid()))
	out = appendRaw(out, "version", `"`+s.opts.Load().Version+`"`) // quoted by every version
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	out = appendTime(out, "rusage-utime", ru.Utime)
	out = appendTime(out, "rusage-stime", ru.Stime)
	out = appendInt(out, "uptime", int64(s.uptime()/time.Second))
	out = appendInt(out, "binlog-oldest-index", 0)
	out = appendInt(out, "binlog-current-index", 0)
	out = appendInt(out, "binlog-records-migrated", 0)
	log := s.router.LogStats()
	out = appendUint(out, "binlog-records-written", log.Written)
	out = appendInt(out, "binlog-max-size", int64(s.opts.Load().BinlogMaxSize))
	out = appendRaw(out, "draining", fmt.Sprint(s.router.Draining()))
	out = appendRaw(out, "id", s.ident.id)
	out = appendString(out, "hostname", s.ident.hostname, q)
	out = appendString(out, "os", s.ident.os, q)
	out = appendString(out, "platform", s.ident.platform, q)
	return appendLog(out, log, damaged)
}

// appendLog formats the keys that beanstalkd does not have: the figures of the log.
// They come last, and are left out if there is no log.
func appendLog(out []byte, log storage.LogStats, damaged int) []byte {
	if log == (storage.LogStats{}) {
		return out
	}
	out = appendUint(out, "log-syncs", log.Syncs)
	out = appendUint(out, "log-bytes-live", log.Live)
	out = appendUint(out, "log-bytes-on-disk", log.Bytes)
	if log.Err == nil {
		out = appendRaw(out, "log-error", "none")
	} else {
		out = appendRaw(out, "log-error", strconv.QuoteToASCII(log.Err.Error()))
	}
	return appendInt(out, "current-jobs-damaged", int64(damaged)) // of the buried ones
}

func appendTime(out []byte, key string, t syscall.Timeval) []byte {
	return append(out, fmt.Sprintf("%s: %d.%06d\n", key, t.Sec, t.Usec)...)
}
