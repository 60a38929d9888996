package conn

import (
	"fmt"
	"runtime/debug"
)

// EndOnPanic is deferred by handlers of package net/http. It ends the process when one
// panics: net/http would log the panic and go on, although an invariant is broken and the
// handler may never give back its shard. A panic with the value abort is passed on: that is
// net/http's own way to break off an answer.
func EndOnPanic(abort any) {
	p := recover()
	if p == nil {
		return
	}
	if p == abort {
		panic(p)
	}
	text := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
	go func() { panic(text) }()
	select {}
}
