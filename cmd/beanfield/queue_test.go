package main

import (
	"strings"
	"testing"
	"time"

	"beanfield/shard/queue"
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
	limits := c.Queue.limitsFor()
	for name, want := range map[string]int{"a": 2, "ab": 2, "ab;rear": 2, "b": 1, "b;rear": 1, "c": 1} {
		l := limits(name)
		if l.MaxLength != want || l != limits(name) || l.Forget != int64(7*time.Second) {
			t.Errorf("%s: limits %+v", name, l)
		}
		b := strings.HasPrefix(name, "b")
		if (l.DeadLetter == queue.FateDrop) != b || (l.Leaving == int64(3*time.Second)) != b {
			t.Errorf("%s: limits %+v", name, l)
		}
	}
}

func TestQueueMistakes(t *testing.T) {
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
	} {
		_, err := load(t, "", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want something with %q", text, err, want)
		}
	}
	for _, flag := range []string{"-queue x", "-queue :1,", "-queue ,:1", "-queue :1,:2,:1", "-queue :1;:2", "-http :1,:1"} {
		if _, err := load(t, flag, ""); err == nil || exitCode(err) != exitListen {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
