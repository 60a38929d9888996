package config

import (
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// The first pattern that matches counts, and a rear queue has its queue's limits.
func TestLimitsFor(t *testing.T) {
	c := must.Get(load(t, "", `
queue.max_length = 1
queue.dead_after = "7s"
[[queue.for]]
match = "a*"
max_length = 2
[[queue.for]]
match = "ab"
max_length = 3
dead_letter = "drop"
[[queue.for]]
match = "b"
leaving = "3s"
dead_letter = "drop"
`))
	limits := c.Queue.LimitsFor()
	for name, want := range map[string]int{"a": 2, "ab": 2, "ab;rear": 2, "b": 1, "b;rear": 1, "c": 1} {
		l := limits(name)
		if l.MaxLength != want || l != limits(name) || l.Forget != int64(7*time.Second) {
			t.Errorf("%s: limits %+v", name, l)
		}
		b := strings.HasPrefix(name, "b")
		if (l.DeadLetter == policy.FateDrop) != b || (l.Leaving == int64(3*time.Second)) != b {
			t.Errorf("%s: limits %+v", name, l)
		}
	}
}

// What is wrong with [queue] and [http] is said, in part.
func TestQueueAndHTTPMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[queue]\nlisten = ':1'":                    "queue.listen",
		"[queue]\nlisten = [1]":                     "in the list: this is a whole number",
		"[queue]\nlisten = ['x']":                   `"x": `,
		"[queue]\nauto_evict = 1":                   "true, false",
		"[queue]\nlength = 1":                       "unknown key",
		"[queue]\nfor = 1":                          "[[queue.for]]",
		"[[queue.for]]\nmax_length = 1":             "queue.for.match: missing",
		"[[queue.for]]\nmatch = ''":                 "empty",
		"[[queue.for]]\nmatch = 'a'\nleaving = '1'": "queue.for.leaving",
		"[[queue.for]]\nmatch = 'a'\nlisten = []":   "unknown key",
		"[http]\nlisten = ':1'":                     "http.listen",
		"[http]\nmode = 660":                        "http.mode",
		"[http]\npprof = 1":                         "true, false",
		"[http]\ntoken = 'x'":                       "unknown key",
		"http = 1": "a table, [http], with listen, mode, group, " +
			"tokens, hosts, pprof",
		"http.group = 'no-such-group-here'":                      "no such group",
		"queue.group = '99999999999'":                            "not the number of a group",
		"http.group = 7":                                         "this is a whole number",
		"listen = [{ address = '127.0.0.1:1', group = 'root' }]": "only a unix socket has a group",
	} {
		if got, _ := refused(t, "", text); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want something with %q", text, got, want)
		}
	}
	for _, flag := range []string{"-queue x", "-queue :1,", "-queue ,:1", "-queue :1,:2,:1", "-queue :1;:2",
		"-http :1,:1", "-http x"} {
		if said, code := refused(t, flag, ""); code != exit.Listen {
			t.Errorf("%s: %s", flag, said)
		}
	}
}
