package beanstalk

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/storage/must"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"
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

// What stats says of the process is what can be known from outside, and is read as what it is.
func TestStatsOfTheProcess(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	var u unix.Utsname
	must.Do(t, unix.Uname(&u))
	stats := c.read("stats")
	for key, want := range map[string]any{
		"version": "1.2.3", "id": h.server.ident.id, "pid": os.Getpid(), "hostname": must.Get(os.Hostname()),
		"os": unix.ByteSliceToString(u.Version[:]), "platform": unix.ByteSliceToString(u.Machine[:]), "max-job-size": 65535,
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
