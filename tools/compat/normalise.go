package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// exception is a value in a stats reply that cannot be equal on two servers, and
// the check that takes the place of equality.
type exception struct {
	of     string // the command whose reply has it
	key    string
	reason string
	check  func(key, ref, sub string, r, s *side) error
}

// tolerance is by how many seconds a truncated duration may differ when it is read at
// two moments: one for the truncation, the rest for a busy machine.
const tolerance = 3

// exceptions is the whole list. Everything else must be equal byte for byte.
var exceptions = []exception{
	{"stats", "pid", "two processes; each must tell its own", checkPID},
	{"stats", "version", "two programs; beanfield tells its own version, quoted like the reference's", matches(version)},
	{"stats", "id", "random at each start; 16 hex digits, and beanfield's never read as a number", checkInstance},
	{"stats", "rusage-utime", "CPU time used; must look like one", matches(cpuTime)},
	{"stats", "rusage-stime", "CPU time used; must look like one", matches(cpuTime)},
	{"stats", "uptime", "started one after the other, a cluster seconds before", checkUptime},
	{"stats", "cmd-stats", "the tool's own questions are subtracted", checkAsked},
	{"stats", "cmd-stats-job", "the tool's own questions are subtracted", checkAsked},
	{"stats", "cmd-stats-tube", "the tool's own questions are subtracted", checkAsked},
	{"stats", "binlog-oldest-index", "logs differ, where there are any", checkLog},
	{"stats", "binlog-current-index", "the same", checkLog},
	{"stats", "binlog-records-migrated", "the same", checkLog},
	{"stats", "binlog-records-written", "the same; a cluster has one although the reference has none", checkLog},
	{"stats-job", "file", "the number of a file of the reference's log", checkLog},
	{"stats-job", "age", "seconds, truncated, asked at two moments", checkSeconds},
	{"stats-job", "time-left", "seconds, truncated, asked at two moments", checkSeconds},
	{"stats-tube", "pause-time-left", "seconds, truncated, asked at two moments", checkSeconds},
}

// replyOf tells the command from the first key of its reply; lists have none.
func replyOf(lines []string) string {
	if len(lines) < 2 {
		return ""
	}
	switch key, _, _ := strings.Cut(lines[1], ": "); key {
	case "current-jobs-urgent":
		return "stats"
	case "name":
		return "stats-tube"
	case "id":
		return "stats-job"
	}
	return ""
}

// lastStatsKey ends the reference's stats; only beyond it may beanfield have
// keys of its own.
const lastStatsKey = "platform"

var (
	ownKey   = regexp.MustCompile(`^[a-z0-9-]+: [ -~]*$`)
	version  = regexp.MustCompile(`^"[ -~]+"$`)
	instance = regexp.MustCompile(`^[0-9a-f]{16}$`)
	// letters that keep a YAML reader from taking hex digits for a number: e
	// alone could be an exponent.
	letters = regexp.MustCompile(`[abcdf]`)
	count   = regexp.MustCompile(`^[0-9]+$`)
	cpuTime = regexp.MustCompile(`^[0-9]+\.[0-9]{6}$`)
)

// compareReplies says how the subject's reply differs from the reference's, or
// nothing if they are the same.
func compareReplies(ref, sub reply, r, s *side) error {
	if ref.eof != sub.eof {
		return fmt.Errorf("one server closed the connection")
	}
	if ref.isYAML() && sub.isYAML() {
		return compareYAML(ref, sub, r, s)
	}
	if string(ref.raw) == string(sub.raw) {
		return nil
	}
	return fmt.Errorf("the replies are not equal")
}

// compareYAML goes line by line. The size in the first line is left out: the
// framing has already used it to find the end of each.
func compareYAML(ref, sub reply, r, s *side) error {
	want := strings.Split(string(ref.raw), "\n")[1:]
	got := strings.Split(string(sub.raw), "\n")[1:]
	of := replyOf(want)
	extra := 0
	for i := range want {
		if of == "stats" && i > 0 && strings.HasPrefix(want[i-1], lastStatsKey+": ") {
			for i+extra < len(got) && got[i+extra] != want[i] && ownKey.MatchString(got[i+extra]) {
				extra++
			}
		}
		if i+extra >= len(got) {
			return fmt.Errorf("line %d is missing: %q", i+1, want[i])
		}
		if err := compareLine(of, want[i], got[i+extra], r, s); err != nil {
			return err
		}
	}
	if len(got) != len(want)+extra {
		return fmt.Errorf("%d lines instead of %d", len(got), len(want)+extra)
	}
	return nil
}

// compareLine tries the exceptions first: a counter may look equal and yet be
// wrong once the tool's own questions are subtracted. Strings must be in the
// subject's form.
func compareLine(of, want, got string, r, s *side) error {
	key, ref, ok := strings.Cut(want, ": ")
	gotKey, sub, gotOK := strings.Cut(got, ": ")
	if ok && gotOK && key == gotKey {
		if s.reworded && of == "stats" && strings.HasPrefix(key, "cmd-") {
			return nil // of other commands
		}
		for _, e := range exceptions {
			if e.of == of && e.key == key {
				return e.check(key, ref, sub, r, s)
			}
		}
		if formed[of][key] {
			want = key + ": " + s.form.of(ref)
		}
	}
	if want != got {
		return fmt.Errorf("line %q instead of %q", got, want)
	}
	return nil
}

func checkPID(key, _, sub string, _, s *side) error {
	if sub != strconv.Itoa(s.pid) {
		return fmt.Errorf("%s: %s, but the process is %d", key, sub, s.pid)
	}
	return nil
}

func checkLog(key, ref, sub string, _, s *side) error {
	if s.logs {
		return checkForm(key, sub, count)
	}
	if sub != ref {
		return fmt.Errorf("%s: %s instead of %s", key, sub, ref)
	}
	return nil
}

func matches(form *regexp.Regexp) func(key, _, sub string, _, _ *side) error {
	return func(key, _, sub string, _, _ *side) error { return checkForm(key, sub, form) }
}

func checkInstance(key, _, sub string, _, s *side) error {
	if err := checkForm(key, sub, instance); err != nil {
		return err
	}
	if s.beanstalkd {
		return nil // which promises no letters
	}
	return checkForm(key, sub, letters)
}

func checkForm(key, value string, form *regexp.Regexp) error {
	if !form.MatchString(value) {
		return fmt.Errorf("%s: %q does not match %s", key, value, form)
	}
	return nil
}

func checkSeconds(key, ref, sub string, _, _ *side) error {
	a, errA := strconv.ParseInt(ref, 10, 64)
	b, errB := strconv.ParseInt(sub, 10, 64)
	if errA != nil || errB != nil || max(a, b)-min(a, b) > tolerance {
		return fmt.Errorf("%s: %s is not within %d s of %s", key, sub, tolerance, ref)
	}
	return nil
}

func checkUptime(key, ref, sub string, r, s *side) error {
	if s.logs {
		return checkForm(key, sub, count)
	}
	return checkSeconds(key, ref, sub, r, s)
}

func checkAsked(key, ref, sub string, r, s *side) error {
	a, errA := strconv.Atoi(ref)
	b, errB := strconv.Atoi(sub)
	if errA != nil || errB != nil || a-r.asked[key] != b-s.asked[key] {
		return fmt.Errorf("%s: %s instead of %s (of which the tool asked %d and %d)",
			key, sub, ref, s.asked[key], r.asked[key])
	}
	return nil
}
