package beanstalk

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/storage/must"

	"go.yaml.in/yaml/v3"
)

// serverKeys are the keys of stats and the form of their values. An @ stands
// for a string that is quoted if the server is set so.
var serverKeys = []string{
	"current-jobs-urgent: N", "current-jobs-ready: N", "current-jobs-reserved: N", "current-jobs-delayed: N",
	"current-jobs-buried: N", "cmd-put: N", "cmd-peek: N", "cmd-peek-ready: N", "cmd-peek-delayed: N",
	"cmd-peek-buried: N", "cmd-reserve: N", "cmd-reserve-with-timeout: N", "cmd-delete: N", "cmd-release: N",
	"cmd-use: N", "cmd-watch: N", "cmd-ignore: N", "cmd-bury: N", "cmd-kick: N", "cmd-touch: N", "cmd-stats: N",
	"cmd-stats-job: N", "cmd-stats-tube: N", "cmd-list-tubes: N", "cmd-list-tube-used: N",
	"cmd-list-tubes-watched: N", "cmd-pause-tube: N", "job-timeouts: N", "total-jobs: N", "max-job-size: N",
	"current-tubes: N", "current-connections: N", "current-producers: N", "current-workers: N",
	"current-waiting: N", "total-connections: N", "pid: N", `version: "1.2.3"`, "rusage-utime: T",
	"rusage-stime: T", "uptime: N", "binlog-oldest-index: N", "binlog-current-index: N",
	"binlog-records-migrated: N", "binlog-records-written: N", "binlog-max-size: N", "draining: B", "id: H",
	"hostname: @", "os: @", "platform: @",
}

func keyPattern(key string, q protocol.Quoting) *regexp.Regexp {
	name, form, _ := strings.Cut(key, ": ")
	text := `[^"\n]+`
	switch {
	case q == protocol.QuoteAlways:
		text = `"` + text + `"`
	case q == protocol.QuoteNeeded && name == "os":
		text = `("#` + text + `"|[^#"\n]+)` // on a usual Linux it begins with a #
	}
	switch form {
	case "N":
		form = `[0-9]+`
	case "T":
		form = `[0-9]+\.[0-9]{6}`
	case "B":
		form = `(true|false)`
	case "H":
		form = `[0-9a-f]{16}`
	case "@":
		form = text
	}
	return regexp.MustCompile(`\A` + name + ": " + form + `\z`)
}

// TestStatsKeys checks all keys, their order and the form of every value.
func TestStatsKeys(t *testing.T) {
	if len(serverKeys) != 51 {
		t.Fatalf("%d keys", len(serverKeys))
	}
	for _, q := range []protocol.Quoting{protocol.QuoteNeeded, protocol.QuoteAlways, protocol.QuoteNever} {
		h := newHouse(t, func(o *houseOptions) { o.Quoting = q })
		lines := h.pair().yaml("stats")
		if len(lines) != len(serverKeys) {
			t.Errorf("%d keys, want %d: %q", len(lines), len(serverKeys), lines)
		}
		for i, key := range serverKeys {
			if i < len(lines) && !keyPattern(key, q).MatchString(lines[i]) {
				t.Errorf("quoting %d, line %d is %q, want %q", q, i, lines[i], key)
			}
		}
	}
}

// all reads the whole of stats.
func (c *client) all() map[string]string {
	c.t.Helper()
	m := map[string]string{}
	for _, l := range c.yaml("stats") {
		k, v, _ := strings.Cut(l, ": ")
		m[k] = v
	}
	return m
}

// counting lists lines with what they add to the counters of commands:
// nothing for a badly formed line, but one for a job that is not found.
var counting = []struct{ line, key string }{
	{"put 0 0 60 1\r\nx", "cmd-put"}, {"put 0 0 60 2\r\nxx", "cmd-put"}, {"put 0 0 60", ""}, // the second is too big
	{"put 0 0 60 1 junk", "cmd-put"}, {"put 0 0 60 1\r\nxyz", "cmd-put"},
	{"peek 1", "cmd-peek"}, {"peek 99", "cmd-peek"}, {"peek x", ""}, {"peek-ready", "cmd-peek-ready"},
	{"peek-delayed", "cmd-peek-delayed"}, {"peek-buried", "cmd-peek-buried"}, {"peek-buried ", ""},
	{"reserve", "cmd-reserve"}, {"reserve-with-timeout 0", "cmd-reserve-with-timeout"},
	{"reserve-with-timeout x", ""}, {"reserve-job 99", ""}, {"release 99 0 0", "cmd-release"},
	{"bury 99 0", "cmd-bury"}, {"kick 1", "cmd-kick"}, {"kick -1", ""}, {"kick-job 1", ""},
	{"touch 1", "cmd-touch"}, {"touch 99", "cmd-touch"}, {"stats-job 1", "cmd-stats-job"},
	{"stats-job 99", "cmd-stats-job"}, {"stats-tube default", "cmd-stats-tube"}, {"stats-tube nope", "cmd-stats-tube"},
	{"stats-tube -", ""}, {"use a", "cmd-use"}, {"use a", "cmd-use"}, {"use ", ""}, {"watch a", "cmd-watch"},
	{"watch -", ""}, {"ignore a", "cmd-ignore"}, {"ignore default", "cmd-ignore"}, {"list-tubes", "cmd-list-tubes"},
	{"list-tube-used", "cmd-list-tube-used"}, {"list-tubes-watched", "cmd-list-tubes-watched"},
	{"list-tubes ", ""}, {"pause-tube default 0", "cmd-pause-tube"}, {"pause-tube nope 0", "cmd-pause-tube"},
	{"pause-tube -a 0", "cmd-pause-tube"}, {"pause-tube a", ""}, {"nonsense", ""}, {"delete 1", "cmd-delete"},
	{"delete 1", "cmd-delete"}, {"stats", "cmd-stats"},
}

// skipReplies reads everything up to the answer of a last harmless line.
func (c *client) skipReplies() {
	c.t.Helper()
	c.send("touch 0\r\nquit now\r\n") // no other pair of commands changes less
	for {
		if _, err := c.br.ReadString('\n'); err != nil {
			return
		}
	}
}

// TestStatsCounters sends one line at a time, each on its own connection, and
// looks at what has changed.
func TestStatsCounters(t *testing.T) {
	for _, line := range counting {
		h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 1 })
		first := h.pair()
		first.put(0, 0, 60, "x") // job 1, reserved by whoever asks
		watch := h.pair()
		before := watch.all()
		c := h.pair()
		c.send(line.line + "\r\n")
		c.skipReplies()
		c.close()
		eventually(t, "the client leaves", func() bool { return h.server.open.Load() == 2 })
		after := watch.all()
		for _, k := range serverKeys {
			key, _, _ := strings.Cut(k, ": ")
			if !strings.HasPrefix(key, "cmd-") {
				continue
			}
			want := 0
			if key == line.key {
				want++
			}
			if key == "cmd-stats" || key == "cmd-touch" { // our own, and that of skipReplies
				want++
			}
			was, _ := strconv.Atoi(before[key])
			is, _ := strconv.Atoi(after[key])
			if is-was != want {
				t.Errorf("%q adds %d to %s, want %d", line.line, is-was, key, want)
			}
		}
		h.close()
	}
}

// TestStatsOfClients follows the counts of connections through their lives.
func TestStatsOfClients(t *testing.T) {
	h := newHouse(t)
	watch := h.pair()
	check := func(when, want string) {
		t.Helper()
		m := watch.all()
		got := fmt.Sprint(m["current-connections"], " ", m["current-producers"], " ", m["current-workers"], " ",
			m["current-waiting"], " ",
			m["total-connections"], " ", m["cmd-put"])
		if got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("alone", "1 0 0 0 1 0")
	a := h.pair()
	a.do("put 0 0 60", "BAD_FORMAT")
	a.do("reserve-job 7", "NOT_FOUND")
	check("a client that has failed is nothing yet", "2 0 0 0 2 0")
	a.do("put 0 0 60 70000\r\n"+strings.Repeat("x", 70000), "JOB_TOO_BIG")
	check("nor with a job too big", "2 0 0 0 2 1")
	a.do("put 0 0 60 1\r\nabc", "EXPECTED_CRLF\r\nUNKNOWN_COMMAND")
	check("a producer", "2 1 0 0 2 2")
	id := a.put(0, 0, 60, "x")
	a.do(fmt.Sprintf("reserve-job %d", id), fmt.Sprintf("RESERVED %d 1\r\nx", id))
	check("a worker too", "2 1 1 0 2 3")
	b := h.pair()
	b.send("reserve\r\nput 0 0 60 1\r\nx\r\n")
	eventually(t, "b waits", func() bool { return h.waiting() == 1 })
	check("one waits, and so does its put", "3 1 2 1 3 3")
	b.closeWrite()
	b.expect("TIMED_OUT")
	b.inserted()
	b.eof()
	eventually(t, "b leaves", func() bool { return h.server.open.Load() == 2 })
	check("and leaves", "2 1 1 0 3 4")
	a.send("quit\r\n")
	a.eof()
	check("all have left", "1 0 0 0 3 4")
}

func TestAppendTime(t *testing.T) {
	if got := string(appendTime(nil, "t", syscall.Timeval{Sec: 3, Usec: 7})); got != "t: 3.000007\n" {
		t.Errorf("%q", got)
	}
}

// TestIdentity checks that no YAML reader can take the id for a number.
func TestIdentity(t *testing.T) {
	form := regexp.MustCompile(`\A[0-9a-f]{16}\z`)
	seen := map[string]bool{}
	for range 2000 {
		n := must.Get(newIdentity())
		if !form.MatchString(n.id) || !strings.ContainsAny(n.id, "abcdf") || seen[n.id] {
			t.Fatalf("id %q", n.id)
		}
		seen[n.id] = true
	}
}

// read has a YAML reader read the reply to a line.
func (c *client) read(line string) (doc map[string]any) {
	c.t.Helper()
	must.Do(c.t, yaml.Unmarshal([]byte(strings.Join(c.yaml(line), "\n")), &doc))
	return doc
}

// A reader of the whole replies gets each name back from stats-tube and stats-job, and numbers as
// numbers. In lists, names stand as they are.
func TestRepliesAreRead(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	for _, name := range []string{"1", "017", "1e3", "0x1F", "+1", ".5", "1.", ".inf", ".nan", "null", "true", "y",
		"NO", "1_000", "2001-01-01", ".", "/", "(a)", "$;+", "a.b"} {
		c.do("use "+name, "USING "+name)
		id := c.put(0, 0, 60, "x")
		tube, job := c.read("stats-tube "+name), c.read(fmt.Sprintf("stats-job %d", id))
		if tube["name"] != name || tube["current-jobs-ready"] != 1 || len(tube) != 14 {
			t.Errorf("stats-tube %s is read as %v", name, tube)
		}
		if job["tube"] != name || job["id"] != int(id) || job["state"] != "ready" || len(job) != 14 {
			t.Errorf("stats-job of %s is read as %v", name, job)
		}
		if list := c.yaml("list-tubes"); list[len(list)-1] != "- "+name {
			t.Errorf("list-tubes: %q", list)
		}
	}
}

// What stats says of the process is what can be known from outside, and is read as what it is.
func TestStatsOfTheProcess(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	var u syscall.Utsname
	must.Do(t, syscall.Uname(&u))
	stats := c.read("stats")
	for key, want := range map[string]any{
		"version": "1.2.3", "id": h.server.ident.id, "pid": os.Getpid(), "hostname": must.Get(os.Hostname()),
		"os": utsString(u.Version[:]), "platform": utsString(u.Machine[:]), "max-job-size": 65535,
		"binlog-max-size": 10485760,
		"draining":        false, "current-connections": 1, "total-connections": 1, "current-tubes": 1, "cmd-stats": 1,
		"binlog-oldest-index": 0, "binlog-current-index": 0, "binlog-records-migrated": 0, "binlog-records-written": 0,
	} {
		if stats[key] != want {
			t.Errorf("%s is read as %#v, want %#v", key, stats[key], want)
		}
	}
	if up := stats["uptime"].(int); up < 0 || up > int(h.server.uptime()/time.Second) {
		t.Errorf("up for %d seconds", up)
	}
	h.router.Drain()
	if got := h.pair().stat("stats", "draining"); got != "true" {
		t.Errorf("draining: %s", got)
	}
}
