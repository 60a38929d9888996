package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// patience is how long something that must come may take.
const patience = 10 * time.Second

// calm is how long nothing must come before that counts as nothing.
const calm = 100 * time.Millisecond

// checks counts what was compared. A wrong value is reported and the section goes on;
// an unexpected error ends the section, because what follows in it would only repeat
// the same complaint.
type checks struct {
	section      string
	done, failed int
}

// broken is what must panics with.
type broken struct{ err error }

func must(err error) {
	if err != nil {
		panic(broken{err})
	}
}

func (c *checks) that(what string, ok bool, got any) {
	c.done++
	if !ok {
		c.failed++
		fmt.Fprintf(os.Stderr, "FAIL x/net/websocket: %s: %s: got %v\n", c.section, what, got)
	}
}

// equal compares any two values by what they print as.
func (c *checks) equal(what string, got, want any) {
	c.that(what, fmt.Sprint(got) == fmt.Sprint(want), fmt.Sprintf("%.200s, want %.200s", fmt.Sprint(got), fmt.Sprint(want)))
}

// took says that from low to less than high has passed since start.
func (c *checks) took(what string, start time.Time, low, high time.Duration) {
	took := time.Since(start)
	c.that(what, took >= low && took < high, took)
}

// until asks again until something is as it should be, or patience has passed.
func (c *checks) until(what string, want any, ask func() any) {
	var got any
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if got = ask(); fmt.Sprint(got) == fmt.Sprint(want) {
			break
		}
	}
	c.equal(what, got, want)
}

// fields takes a line of the attributes apart: "Id: g.u, Index: 3".
func fields(line string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(line, ", ") {
		key, value, _ := strings.Cut(part, ": ")
		all[key] = value
	}
	return all
}
