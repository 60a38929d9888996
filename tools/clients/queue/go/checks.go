package main

import (
	"fmt"
	"strings"
	"time"

	"beanfield/tools/clients/checks"
)

// calm is how long nothing must come before that counts as nothing.
const calm = 100 * time.Millisecond

var must = checks.Must

// section is a part of the scenario that is being played, with what is to be closed at its end.
type section struct {
	*checks.Checks
	open []func()
}

func (s *section) close() {
	for _, end := range s.open {
		end()
	}
}

// until asks again until something is as it should be, or checks.Patience has passed.
func (x *client) until(what string, want any, ask func() any) {
	var got any
	for limit := time.Now().Add(checks.Patience); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if got = ask(); fmt.Sprint(got) == fmt.Sprint(want) {
			break
		}
	}
	x.Equal(what, got, want)
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
