package main

import (
	"strings"
	"testing"
)

// Every command that can be said otherwise is, at some time, and malformed ones never are.
func TestRewording(t *testing.T) {
	want := map[string]bool{
		"put-in-tube": true, "put-with": true, "put-batch": true, "delete-batch": true, "touch-batch": true,
		"release-batch": true, "bury-batch": true, "reserve-batch": true,
	}
	w := newRewording(1)
	drive(t, 1, 3000, func(g *generator, s step) {
		for _, c := range s.commands {
			m := &member{use: "a"}
			c = w.say(m, c)
			if verb, _, _ := strings.Cut(c.instead, " "); c.instead != "" {
				if c.odd || !strings.HasSuffix(verb, "-batch") && !strings.HasPrefix(verb, "put-") {
					t.Errorf("%q becomes %q", c.text, c.instead)
				}
				delete(want, verb)
			}
		}
	})
	if len(want) > 0 {
		t.Errorf("never said: %v", want)
	}
}

// Answers of batches become those of single commands, and others stay as they are.
func TestRewordedAnswers(t *testing.T) {
	for _, c := range []struct {
		back      func(reply) reply
		got, want string
	}{
		{oneOfBatch("delete"), "DELETED_BATCH 1 0\r\n", "DELETED\r\n"},
		{oneOfBatch("bury"), "BURIED_BATCH 0 1\r\n", "NOT_FOUND\r\n"},
		{oneOfBatch("bury"), "BURIED_BATCH 2 1\r\n", "BURIED_BATCH 2 1\r\n"},
		{oneOfBatch("release"), "RELEASED\r\n", "RELEASED\r\n"},
		{unwrapped("INSERTED_BATCH 1"), "INSERTED_BATCH 1\r\nINSERTED 7\r\n", "INSERTED 7\r\n"},
		{unwrapped("RESERVED_BATCH 1"), "TIMED_OUT\r\n", "TIMED_OUT\r\n"},
	} {
		if got := c.back(reply{raw: []byte(c.got)}); string(got.raw) != c.want {
			t.Errorf("%q becomes %q, want %q", c.got, got.raw, c.want)
		}
	}
	text := string(reworded([]command{say("use a"), {text: "x\r\n", instead: inBatch("release", "12", "3", "4")}}))
	if want := "use a\r\nrelease-batch 3 4 2\r\n12\r\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
