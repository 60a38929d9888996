package queueservice

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// endOnPanic ends the process when a handler panics. net/http would log the panic and go
// on, although an invariant is broken and the handler may never give back its shard.
func endOnPanic() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { // net/http's own way to break off an answer
		panic(p)
	}
	text := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
	go func() { panic(text) }()
	select {}
}
