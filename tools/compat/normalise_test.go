package main

import (
	"fmt"
	"strings"
	"testing"
)

// twoSides are a reference and a subject without processes, of which only the
// pids matter here.
func twoSides() (r, s *side) {
	return newSide("reference", 100, nil), newSide("subject", 200, nil)
}

func yaml(lines ...string) reply {
	body := "---\n" + strings.Join(lines, "\n") + "\n"
	return reply{raw: fmt.Appendf(nil, "OK %d\r\n%s\r\n", len(body), body)}
}

// statsOf is a shortened stats reply with the given values in place of others.
func statsOf(pid string, replaced map[string]string, more ...string) reply {
	all := []string{
		"current-jobs-urgent: 1", "cmd-put: 5", "cmd-stats: 3", "pid: " + pid, `version: "1.12"`,
		"rusage-utime: 0.000001",
		"uptime: 7", "binlog-records-written: 0", "draining: false", "id: 00000000000000a1", "hostname: h", "os: #1 SMP", "platform: x86_64",
	}
	for i, line := range all {
		key, _, _ := strings.Cut(line, ": ")
		if v, ok := replaced[key]; ok {
			all[i] = key + ": " + v
		}
	}
	return yaml(append(all, more...)...)
}

func TestStatsExceptions(t *testing.T) {
	for _, c := range []struct {
		key, value string
		same       bool
	}{
		{"pid", "200", true}, {"pid", "100", false}, {"pid", "0", false},
		{"version", `"0.1-beta"`, true}, {"version", "0.1", false}, {"version", `""`, false},
		{"rusage-utime", "12.345678", true}, {"rusage-utime", "12.3", false}, {"rusage-utime", "", false},
		{"uptime", "9", true}, {"uptime", "20", false}, {"uptime", "x", false},
		{"id", "deadbeef00000000", true}, {"id", "1234567890123456", false}, {"id", "12345678901234e6", false},
		{"id", "a", false},
		{"cmd-put", "6", false}, {"cmd-stats", "4", false}, {"current-jobs-urgent", "01", false},
		{"hostname", `"h"`, false}, {"os", "other", false}, {"platform", "arm", false}, {"draining", "true", false},
	} {
		r, s := twoSides()
		err := compareReplies(statsOf("100", nil), statsOf("200", map[string]string{c.key: c.value}), r, s)
		if (err == nil) != c.same {
			t.Errorf("%s: %q compared as %v, want same=%v", c.key, c.value, err, c.same)
		}
	}
}

// A cluster keeps a log, and has begun before: its figures for these are only looked at.
func TestClusterKeepsALog(t *testing.T) {
	for _, c := range []struct {
		written, uptime string
		logs, same      bool
	}{
		{"0", "7", false, true}, {"3", "7", false, false}, {"3", "70", true, true}, {"x", "70", true, false},
		{"3", "-1", true, false},
	} {
		r, s := twoSides()
		s.logs = c.logs
		err := compareReplies(statsOf("100", nil), statsOf("200", map[string]string{"uptime": c.uptime,
			"binlog-records-written": c.written}), r, s)
		if (err == nil) != c.same {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestOwnQuestionsAreSubtracted(t *testing.T) {
	r, s := twoSides()
	r.asked["cmd-stats"] += 1
	s.asked["cmd-stats"] += 4
	if err := compareReplies(statsOf("100", nil), statsOf("200", map[string]string{"cmd-stats": "6"}), r,
		s); err != nil {
		t.Error(err)
	}
	if err := compareReplies(statsOf("100", nil), statsOf("200", nil), r, s); err == nil {
		t.Error("equal counters of which unequal parts are the tool's own passed")
	}
}

func TestStatsKeys(t *testing.T) {
	r, s := twoSides()
	want := statsOf("100", nil)
	if err := compareReplies(want, statsOf("200", nil, "own-key: 1", "another: text"), r, s); err != nil {
		t.Errorf("keys of its own at the end: %v", err)
	}
	if err := compareReplies(statsOf("100", nil, "zzz: 1"), statsOf("200", nil), r, s); err == nil {
		t.Error("a missing key passed")
	}
	if err := compareReplies(want, statsOf("200", nil, "no key at all"), r, s); err == nil {
		t.Error("a line that is no key passed")
	}
	swapped := strings.Replace(string(statsOf("200", nil).raw), "cmd-put: 5\ncmd-stats: 3", "cmd-stats: 3\ncmd-put: 5",
		1)
	if err := compareReplies(want, reply{raw: []byte(swapped)}, r, s); err == nil {
		t.Error("another order of keys passed")
	}
}

func TestStatsJobAndTube(t *testing.T) {
	job := yaml("id: 1", "tube: t", "state: ready", "age: 1", "time-left: 50")
	tube := yaml("name: t", "total-jobs: 1", "pause: 9", "pause-time-left: 8")
	for _, c := range []struct {
		ref, sub reply
		same     bool
	}{
		{job, yaml("id: 1", "tube: t", "state: ready", "age: 2", "time-left: 49"), true},
		{job, yaml("id: 1", "tube: t", "state: ready", "age: 9", "time-left: 50"), false},
		{job, yaml("id: 2", "tube: t", "state: ready", "age: 1", "time-left: 50"), false},
		{job, yaml("id: 1", "tube: t", "state: buried", "age: 1", "time-left: 50"), false},
		{job, yaml("id: 1", "tube: t", "state: ready", "age: 1", "time-left: 50", "more: 1"), false},
		{tube, yaml("name: t", "total-jobs: 1", "pause: 9", "pause-time-left: 7"), true},
		{tube, yaml("name: t", "total-jobs: 1", "pause: 8", "pause-time-left: 8"), false},
		{tube, yaml("name: t", "total-jobs: 1", "pause: 9", "pause-time-left: 8", "more: 1"), false},
		{yaml("- a", "- b"), yaml("- b", "- a"), false},
		{yaml("- a", "- b"), yaml("- a"), false},
		{yaml("- a"), yaml("- a", "- b"), false},
	} {
		r, s := twoSides()
		if err := compareReplies(c.ref, c.sub, r, s); (err == nil) != c.same {
			t.Errorf("%s and %s compared as %v, want same=%v", c.ref, c.sub, err, c.same)
		}
	}
}

// Outside of stats nothing is forgiven, least of all in a body that looks like
// stats.
func TestEverythingElseIsLiteral(t *testing.T) {
	for _, c := range [][2]string{
		{"INSERTED 1\r\n", "INSERTED 2\r\n"}, {"INSERTED 1\r\n", "INSERTED 1\n"}, {"NOT_FOUND\r\n", "NOT_FOUND \r\n"},
		{"OK 4\r\n---\n\r\n", "NOT_FOUND\r\n"}, {"FOUND 1 6\r\npid: 1\r\n", "FOUND 1 6\r\npid: 2\r\n"},
		{"RESERVED 1 6\r\nage: 1\r\n", "RESERVED 1 6\r\nage: 2\r\n"}, {"TIMED_OUT\r\n", ""},
		{"OK 1", "OK 2"}, {"OK x\r\n", "OK y\r\n"}, {"OK 4\r\n---\n\r\n", "OK 4\r\n---\n\r"},
		{"OK 5\r\n---\n", "OK 6\r\n---\n"},
	} {
		r, s := twoSides()
		if compareReplies(reply{raw: []byte(c[0])}, reply{raw: []byte(c[1])}, r, s) == nil {
			t.Errorf("%q and %q passed", c[0], c[1])
		}
	}
	r, s := twoSides()
	if compareReplies(reply{eof: true}, reply{raw: []byte("X\r\n")}, r, s) == nil {
		t.Error("an end and a reply passed")
	}
}
