package shard

import (
	"testing"

	"beanfield/shard/queue"
)

// A shard is alive while it is idle, and while turns end; one whose turn does not end
// is not, from the second look on.
func TestAlive(t *testing.T) {
	b := newBench(t, queue.Config{})
	look := func(what string, want ...bool) {
		t.Helper()
		for i, want := range want {
			if got := b.sh.Alive(); got != want {
				t.Errorf("%s, look %d: %v", what, i, got)
			}
		}
	}
	look("idle", true, true, true)
	for range 2 {
		goOn := b.hold()
		look("in a turn", true, false, false)
		goOn()
		look("after it", true, true)
	}
}

// A turn that ends between two looks counts, even if the shard is busy at both.
func TestAliveUnderLoad(t *testing.T) {
	b := newBench(t, queue.Config{})
	for range 3 {
		b.take()
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
