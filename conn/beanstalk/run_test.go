package beanstalk

import (
	"testing"

	"beanfield/shard/queue"
)

// A run that has been as long as it may be is used again.
func TestLongRunsAreKept(t *testing.T) {
	l, r := &loop{}, &run{}
	for range maxRun {
		r.Ops = append(r.Ops, queue.Op{})
	}
	if l.dropRun(r); l.takeRun(1) != r {
		t.Errorf("a run with room for %d commands is thrown away", cap(r.Ops))
	}
}
