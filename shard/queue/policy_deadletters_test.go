package queue

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue/policy"
)

// A job of a tube that the queue service has never touched ends, or dies as its fate says, and
// the tube gets no service from that. A restart finds it as it was.
func TestDeadLettersNeedNoService(t *testing.T) {
	long := strings.Repeat("x", MaxName-len(RearSuffix)+1) // no room for the name of a rear queue
	for _, c := range []struct {
		tube string
		fate policy.Fate
		want string
	}{
		{"a", policy.FateDrop, "no"},
		{"a", policy.FateBury, "state=buried buries=1 tube=a"},
		{"a", policy.FateRear, "state=ready buries=0 tube=a" + RearSuffix},
		{"a" + RearSuffix, policy.FateRear, "state=buried buries=1 tube=a" + RearSuffix},
		{long, policy.FateRear, "state=buried buries=1 tube=" + long},
	} {
		w := newWorld(t)
		w.run(fmt.Sprintf("u use %[1]s\nu put 7 0 60 -> 1\nv watch %[1]s\nv poll -> 1", c.tube))
		slot := w.s.index.find(&w.s.jobs, 1)
		w.s.unhold(slot)
		if w.s.die(slot, c.fate, ForReserves); w.s.dead != 1 {
			t.Errorf("fate %d: %d dead letters are counted", c.fate, w.s.dead)
		}
		w.run("u stats-job 1 -> " + c.want + "\nrestart\nu stats-job 1 -> " + c.want)
		for name, tube := range w.s.tubes {
			if tube.service != nil {
				t.Errorf("fate %d: tube %q has a service", c.fate, name)
			}
		}
	}
}

// What was taken back so often is a dead letter, but none dies while the log has no room to
// say so.
func TestTooOften(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		log         string
		times       uint32
		most        int
		dead, roomy bool
	}{
		{"room", 2, 3, false, true},
		{"room", 3, 3, true, true},
		{"room", 9, 0, false, true},
		{"packed", 3, 3, false, false},
	} {
		w.run("log " + c.log)
		if dead, roomy := w.s.tooOften(c.times, c.most); dead != c.dead || roomy != c.roomy {
			t.Errorf("log %s, %d of %d: dead: %t, roomy: %t", c.log, c.times, c.most, dead, roomy)
		}
	}
}
