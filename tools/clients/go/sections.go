package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/beanstalkd/go-beanstalk"

	"beanfield/tools/clients/checks"
)

var sections = []struct {
	name string
	play func(*session)
}{
	{"tubes", tubes}, {"order", order}, {"life", life}, {"time", clock}, {"pause", pause}, {"bodies", bodies},
	{"errors", mistakes}, {"deadline", deadline}, {"expiry", expiry},
	{"stats", stats}, {"drain", drain}, // drain is for ever
}

func tubes(s *session) {
	longest := strings.Repeat("n", 199) // go-beanstalk stops one short of the protocol's 200
	id, err := beanstalk.NewTube(s.conn, longest).Put([]byte("far"), 0, 0, time.Minute)
	must(err)
	names, err := s.conn.ListTubes()
	must(err)
	s.That("list-tubes has default", slices.Contains(names, "default"), names)
	s.That("list-tubes has the long name", slices.Contains(names, longest), names)
	s.That("list-tubes has no tube that nobody needs", !slices.Contains(names, s.name), names)

	near := s.put("near", 5, 0, time.Minute)
	both := beanstalk.NewTubeSet(s.conn, s.name, longest)
	got, body, err := both.Reserve(checks.Patience)
	must(err)
	s.Equal("the most urgent of two tubes", got, id)
	s.body("its body", body, []byte("far"))
	s.reserve("after ignoring the long name", near, "near")
	s.delete(id, near)
}

func order(s *session) {
	a, b, c := s.put("a", 2000, 0, time.Minute), s.put("b", 10, 0, time.Minute), s.put("c", 10, 0, time.Minute)
	s.Equal("ids are dense", []uint64{b, c}, []uint64{a + 1, a + 2})
	id, body, err := s.tube.PeekReady()
	must(err)
	s.Equal("peek-ready id", id, b)
	s.body("peek-ready body", body, []byte("b"))
	got, err := s.tube.Stats()
	s.stats("stats-tube", got, err, map[string]any{
		"name": text(s.name), "current-jobs-ready": 3, "current-jobs-urgent": 2, "current-jobs-reserved": 0,
		"total-jobs": 3, "current-using": 1,
	})
	s.reserve("first", b, "b")
	s.reserve("second", c, "c")
	s.reserve("third", a, "a")
	_, _, err = s.set.Reserve(0)
	s.fails("nothing is left", err, beanstalk.ErrTimeout)
	got, err = s.tube.Stats()
	s.stats("stats-tube", got, err, map[string]any{"current-jobs-ready": 0, "current-jobs-urgent": 0,
		"current-jobs-reserved": 3, "current-watching": 1})
	s.delete(a, b, c)
	got, err = s.tube.Stats()
	s.stats("stats-tube", got, err, map[string]any{"current-jobs-reserved": 0, "cmd-delete": 3, "total-jobs": 3})
}

func life(s *session) {
	id := s.put("life", 7, 0, 90*time.Second)
	s.job(id, map[string]any{"id": id, "tube": text(s.name), "state": "ready", "pri": 7, "delay": 0, "ttr": 90,
		"time-left": 0, "reserves": 0})
	s.reserve("reserve", id, "life")
	got, err := s.conn.StatsJob(id)
	s.stats("stats-job", got, err, map[string]any{"state": "reserved", "reserves": 1})
	s.keys("stats-job", got, known.Job, false)
	left := number(got["time-left"])
	s.That("time-left is the ttr", left > 80 && left <= 90, left)
	must(s.conn.Touch(id))
	must(s.conn.Release(id, 8, 0))
	s.job(id, map[string]any{"state": "ready", "pri": 8, "releases": 1})

	s.reserve("reserve again", id, "life")
	must(s.conn.Bury(id, 9))
	s.job(id, map[string]any{"state": "buried", "pri": 9, "buries": 1, "reserves": 2})
	buried, body, err := s.tube.PeekBuried()
	must(err)
	s.Equal("peek-buried id", buried, id)
	s.body("peek-buried body", body, []byte("life"))
	n, err := s.tube.Kick(10)
	must(err)
	s.Equal("kick a buried job", n, 1)
	s.job(id, map[string]any{"state": "ready", "kicks": 1, "time-left": 0})

	must(s.conn.Delete(id))
	id = s.put("later", 0, time.Hour, time.Minute)
	s.job(id, map[string]any{"state": "delayed", "delay": 3600})
	delayed, body, err := s.tube.PeekDelayed()
	must(err)
	s.Equal("peek-delayed id", delayed, id)
	s.body("peek-delayed body", body, []byte("later"))
	must(s.conn.KickJob(id))
	s.job(id, map[string]any{"state": "ready", "kicks": 1})
	body, err = s.conn.ReserveJob(id)
	must(err)
	s.body("reserve-job", body, []byte("later"))
	other := s.another()
	defer other.conn.Close()
	body, err = other.conn.Peek(id)
	must(err)
	s.body("peek at a reserved job of another", body, []byte("later"))
	s.delete(id)
}

// clock lets a delay pass, and sees a touch move a deadline meanwhile.
func clock(s *session) {
	held := s.put("held", 0, 0, time.Minute)
	s.reserve("reserve", held, "held")
	start := time.Now()
	late := s.put("late", 0, time.Second, time.Minute)
	s.reserve("a delayed job comes due", late, "late")
	s.Within("its delay", start, 900*time.Millisecond, 5*time.Second)

	got, err := s.conn.StatsJob(held)
	must(err)
	before := number(got["time-left"])
	s.That("time-left goes down", before <= 58, before)
	must(s.conn.Touch(held))
	got, err = s.conn.StatsJob(held)
	must(err)
	s.That("touch lifts time-left", number(got["time-left"]) > before, got["time-left"])

	must(s.conn.Release(late, 3, time.Hour))
	s.job(late, map[string]any{"state": "delayed", "delay": 3600, "pri": 3, "releases": 1})
	must(s.conn.KickJob(late))
	s.reserve("a kicked job", late, "late")
	start = time.Now()
	must(s.conn.Release(late, 3, time.Second))
	s.reserve("a job released with a delay comes due", late, "late")
	s.Within("its delay", start, 900*time.Millisecond, 5*time.Second)
	s.delete(held, late)
}

func pause(s *session) {
	id := s.put("paused", 0, 0, time.Minute)
	must(s.tube.Pause(time.Hour))
	_, _, err := s.set.Reserve(0)
	s.fails("reserve from a paused tube", err, beanstalk.ErrTimeout)
	got, err := s.tube.Stats()
	s.stats("stats-tube", got, err, map[string]any{"pause": 3600, "cmd-pause-tube": 1, "current-jobs-ready": 1})
	left := number(got["pause-time-left"])
	s.That("pause-time-left", left > 3590 && left <= 3600, left)
	must(s.tube.Pause(0))
	s.reserve("after the pause was lifted", id, "paused")
	must(s.conn.Release(id, 0, 0))
	start := time.Now()
	must(s.tube.Pause(time.Second))
	s.reserve("when the pause ends by itself", id, "paused")
	s.Within("the pause", start, 900*time.Millisecond, 5*time.Second)
	s.delete(id)
}

func bodies(s *session) {
	all, err := s.conn.Stats()
	must(err)
	largest := number(all["max-job-size"])
	octets := make([]byte, 256)
	for i := range octets {
		octets[i] = byte(i)
	}
	for _, b := range [][2]string{
		{"every octet", string(octets)}, {"empty", ""}, {"line ends", "\r\n\r\nput 0 0 1 1\r\n"}, {"zero", "0"},
		{"unicode", "Grüße, 世界 🫘"}, {"largest", strings.Repeat("\x00\xff\r\n", largest/4+1)[:largest]},
	} {
		what, body := b[0], b[1]
		id := s.put(body, 0, 0, time.Minute)
		got, err := s.conn.Peek(id)
		must(err)
		s.body("peek "+what, got, []byte(body))
		s.reserve(what, id, body)
		s.delete(id)
	}
	_, err = s.tube.Put(make([]byte, largest+1), 0, 0, time.Minute)
	s.fails("one octet too many", err, beanstalk.ErrJobTooBig)
	id := s.put("after", 0, 0, time.Minute)
	s.reserve("the connection goes on", id, "after")
	s.delete(id)
}

func mistakes(s *session) {
	id := s.put("taken", 0, 0, time.Minute)
	s.reserve("reserve", id, "taken")
	other := s.another()
	defer other.conn.Close()
	s.fails("delete another's job", other.conn.Delete(id), beanstalk.ErrNotFound)
	s.fails("release another's job", other.conn.Release(id, 0, 0), beanstalk.ErrNotFound)
	s.fails("bury another's job", other.conn.Bury(id, 0), beanstalk.ErrNotFound)
	s.fails("touch another's job", other.conn.Touch(id), beanstalk.ErrNotFound)
	s.fails("kick a reserved job", s.conn.KickJob(id), beanstalk.ErrNotFound)
	_, err := other.conn.ReserveJob(id)
	s.fails("reserve-job of a reserved job", err, beanstalk.ErrNotFound)
	s.delete(id)

	s.fails("delete twice", s.conn.Delete(id), beanstalk.ErrNotFound)
	s.fails("touch what is gone", s.conn.Touch(id), beanstalk.ErrNotFound)
	_, err = s.conn.Peek(id)
	s.fails("peek at what is gone", err, beanstalk.ErrNotFound)
	_, err = s.conn.StatsJob(id)
	s.fails("stats-job of what is gone", err, beanstalk.ErrNotFound)
	for what, peek := range map[string]func() (uint64, []byte, error){
		"peek-ready": s.tube.PeekReady, "peek-delayed": s.tube.PeekDelayed, "peek-buried": s.tube.PeekBuried,
	} {
		_, _, err := peek()
		s.fails(what, err, beanstalk.ErrNotFound)
	}
	n, err := s.tube.Kick(5)
	must(err)
	s.Equal("kick nothing", n, 0)
	nowhere := beanstalk.NewTube(s.conn, "go-nowhere")
	_, err = nowhere.Stats()
	s.fails("stats-tube of no tube", err, beanstalk.ErrNotFound)
	s.fails("pause no tube", nowhere.Pause(time.Second), beanstalk.ErrNotFound)
	_, err = beanstalk.NewTube(s.conn, "-dash").Stats()
	s.fails("a bad name", err, beanstalk.ErrBadFormat)
}

// deadline: the last second of a ttr wakes its holder if it waits for another job.
func deadline(s *session) {
	id := s.put("soon", 0, 0, 2*time.Second)
	s.reserve("reserve", id, "soon")
	_, _, err := s.set.Reserve(checks.Patience)
	s.fails("reserve near the deadline", err, beanstalk.ErrDeadline)
	s.delete(id)
}

// expiry: a job whose holder is silent goes to the next who asks.
func expiry(s *session) {
	// beanstalkd misses the deadline of about one silent holder in ten; beanfield gets one chance.
	chances := 1
	if reference {
		chances = 6
	}
	for ; ; chances-- {
		id := s.put("expires", 0, 0, time.Second)
		s.reserve("reserve", id, "expires")
		other, start := s.another(), time.Now()
		got, _, err := other.set.Reserve(3 * time.Second)
		if err != nil && chances > 1 {
			s.delete(id)
			other.conn.Close()
			continue
		}
		must(err)
		s.Equal("the expired job", got, id)
		s.Within("its ttr", start, 900*time.Millisecond, 3*time.Second)
		s.fails("touch after the ttr", s.conn.Touch(id), beanstalk.ErrNotFound)
		s.job(id, map[string]any{"timeouts": 1, "reserves": 2, "ttr": 1})
		must(other.conn.Delete(id))
		other.conn.Close()
		return
	}
}

func stats(s *session) {
	before, err := s.conn.Stats()
	must(err)
	s.keys("stats", before, known.Stats, true)
	id := s.put("counted", 0, 0, time.Minute)
	s.reserve("reserve", id, "counted")
	tube, err := s.tube.Stats()
	must(err)
	s.keys("stats-tube", tube, known.Tube, false)
	s.delete(id)
	after, err := s.conn.Stats()
	must(err)
	for key, more := range map[string]int{
		"cmd-put": 1, "total-jobs": 1, "cmd-reserve-with-timeout": 1, "cmd-delete": 1, "cmd-stats-tube": 1,
		"cmd-stats": 1, "cmd-bury": 0, "cmd-use": 1, "cmd-watch": 1, "cmd-ignore": 1,
	} {
		s.Equal(key+" grew by", number(after[key])-number(before[key]), more)
	}
	host, err := os.Hostname()
	must(err)
	s.Equal("hostname", after["hostname"], text(host))
	s.Equal("pid", after["pid"], os.Getenv("SERVER_PID"))
	s.Equal("draining", after["draining"], false)
	s.That("id", regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(after["id"]), after["id"])
	s.That("version is quoted", regexp.MustCompile(`^".+"$`).MatchString(after["version"]), after["version"])
	kernel, err := os.ReadFile("/proc/sys/kernel/version")
	must(err)
	s.Equal("os", after["os"], text(strings.TrimSpace(string(kernel))))
}

// drain: SIGUSR1 makes the server refuse new jobs, and go on with those it has.
func drain(s *session) {
	id := s.put("before", 0, 0, time.Minute)
	must(syscall.Kill(number(os.Getenv("SERVER_PID")), syscall.SIGUSR1))
	for draining := ""; draining != "true"; {
		all, err := s.conn.Stats()
		must(err)
		draining = all["draining"]
	}
	_, err := s.tube.Put([]byte("after"), 0, 0, time.Minute)
	s.fails("put", err, beanstalk.ErrDraining)
	s.reserve("reserve", id, "before")
	s.delete(id)
}
