package shard

import (
	"testing"

	"beanfield/shard/queue"
)

// A shard is alive while it is idle, and while turns end; one whose turn does not end
// is not, from the second look on.
func TestAlive(t *testing.T) {
	b := newBench(t, false)
	defer b.sh.Close()
	look := func(what string, want ...bool) {
		t.Helper()
		for i, want := range want {
			if got := b.sh.Alive(); got != want {
				t.Errorf("%s, look %d: %v", what, i, got)
			}
		}
	}
	g := b.newClient()
	look("idle", true, true, true)
	for range 2 {
		inside, goOn := make(chan bool), make(chan bool)
		b.dir.born = func(string) { inside <- true; <-goOn }
		ended := make(chan bool)
		go func() { g.do(queue.Op{Kind: queue.Use, Data: []byte("a")}); close(ended) }()
		<-inside
		look("in a turn", true, false, false)
		b.dir.born = nil
		goOn <- true
		<-ended
		look("after it", true, true)
		g.do(queue.Op{Kind: queue.Use, Data: []byte("default")})
	}
}

// A turn that ends between two looks counts, even if the shard is busy at both.
func TestAliveUnderLoad(t *testing.T) {
	b := newBench(t, false)
	defer b.sh.Close()
	for range 3 {
		if !b.sh.take() {
			t.Fatal("somebody has taken an idle shard")
		}
		if !b.sh.Alive() {
			t.Error("a shard that ends turns is not alive")
		}
		b.sh.drain(1)
		if !b.sh.Alive() {
			t.Error("a turn has ended since the last look")
		}
		b.sh.drain(1)
		b.sh.giveBack()
	}
}
