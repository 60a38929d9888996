package measure

import (
	"testing"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/testserver"
	"beanfield/tools/server"
)

// Consumers and gets that wait are all there, and the server has come to each.
func TestWaiting(t *testing.T) {
	s := testserver.Launch(t)
	if err := server.RaiseFileLimit(); err != nil {
		t.Fatal(err)
	}
	target := generator.Target{Addr: s.Addr, Queue: s.Queue}
	for _, kind := range []string{load.KindIdle, load.KindConsumers, load.KindGets} {
		var w waiting
		if err := w.open(&target, &load.Load{Kind: kind, Connections: 20}); err != nil || len(w) < 20 {
			t.Errorf("%s: %d, %v", kind, len(w), err)
		}
		w.close()
	}
}
