package queueservice

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// endOnPanic ends the process when a handler panics. net/http would log the panic and
// go on, with a shard that nobody gives back: an invariant does not hold any more.
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
