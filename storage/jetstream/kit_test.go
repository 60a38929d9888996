package jetstream

import (
	"context"
	"flag"
	"net"
	"testing"
	"time"

	"beanfield/storage/must"
)

// withEngine has the tests run that need the engine itself. Its elections take seconds, so these
// tests are not among those that everybody runs all the time.
var withEngine = flag.Bool("engine", false, "run the tests that need the real engine (make cluster)")

func needsEngine(t testing.TB) {
	t.Helper()
	if !*withEngine {
		t.Skip("this needs the real engine: make cluster")
	}
}

// generous is how long a test waits for a state that must come. It is no verdict on speed.
const generous = 2 * time.Minute

// until waits for a state that nobody tells of.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(generous); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("never came about:", what)
		}
	}
}

func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	t.Cleanup(cancel)
	return ctx
}

// addresses are free ones of this machine, all different.
func addresses(names ...string) map[string]string {
	of := map[string]string{}
	for _, name := range names {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		of[name] = l.Addr().String()
	}
	return of
}
