package stalls

import (
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/machine"
)

// A client of a bare server waits for something, but not all the time; and the threads
// of others stay where they are.
func TestLongestAnswer(t *testing.T) {
	before := must.Get(machine.OwnAffinity())
	const lasting = 20 * time.Millisecond
	longest, err := LongestAnswer("0", "0", lasting)
	if err != nil || longest <= 0 {
		t.Errorf("the longest answer took %v, %v", longest, err)
	}
	if after, err := machine.OwnAffinity(); err != nil || after != before {
		t.Errorf("the affinity has become %x, %v", after, err)
	}
	for _, cpus := range [][2]string{{"1000", "0"}, {"0", "1000"}} {
		if _, err := LongestAnswer(cpus[0], cpus[1], lasting); err == nil {
			t.Errorf("%v: there is no such processor", cpus)
		}
	}
}
