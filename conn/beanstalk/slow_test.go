package beanstalk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"beanfield/conn/slow"
)

// watched is a house whose log may be held, in which everything is slow.
func watched(t *testing.T) (*house, *heldLog, *slow.Log) {
	log := slow.New(1)
	h, held := holding(t, func(o *houseOptions) { o.Slow = log })
	return h, held, log
}

// told waits until a command of a verb is told, and returns the latest.
func told(t *testing.T, log *slow.Log, verb string) (found slow.Command) {
	t.Helper()
	eventually(t, verb+" is told", func() bool {
		for _, k := range log.Recent() {
			if k.Verb == verb {
				found = k
				return true
			}
		}
		return false
	})
	return found
}

// Each command that takes longer than it may is told, with its tube, its job and its client,
// also those that are answered at once. SL2: what is told outlives the buffers.
func TestSlowCommandsAreTold(t *testing.T) {
	h, _, log := watched(t)
	c := h.dial()
	c.do("use t", "USING t")
	c.do("watch t", "WATCHING 2")
	id := c.put(0, 0, 60, "x")
	for _, k := range []struct{ line, answer, tube string }{
		{"peek %d", "FOUND %d 1\r\nx", "t"}, {"reserve-with-timeout 0", "RESERVED %d 1\r\nx", "t"},
		{"touch %d", "TOUCHED", "t"},
		{"release %d 0 0", "RELEASED", "t"}, {"reserve-job %d", "RESERVED %d 1\r\nx", "t"}, {"bury %d 0", "BURIED",
			"t"},
		{"kick-job %d", "KICKED", "t"}, {"delete %d", "DELETED", "t"}, {"pause-tube t 0", "PAUSED", "t"},
	} {
		number := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(id)) }
		c.do(number(k.line), number(k.answer))
		verb, _, _ := strings.Cut(k.line, " ")
		got := told(t, log, verb)
		wantID := id
		if verb == "pause-tube" {
			wantID = 0
		}
		if got.Tube != k.tube || got.ID != wantID || got.Count != 1 || got.Client != c.nc.LocalAddr().String() ||
			got.FrontEnd != "beanstalk" ||
			got.Ran <= 0 || time.Since(got.At) > time.Hour {
			t.Errorf("%s is told as %+v", verb, got)
		}
	}
}

// What a command has waited for is told: for its turn, or for the disk. Commands that came
// together are told together.
func TestWhatSlowCommandsWaitFor(t *testing.T) {
	h, held, log := watched(t)
	c, other := h.two()
	const long = 3 * time.Millisecond
	pass := func() {
		for begun := time.Now(); time.Since(begun) < long; {
			h.router.Busy(0)
		}
	}
	held.hold()
	c.send(strings.Repeat("put 0 0 60 1\r\nx\r\n", 5))
	held.await(t)
	pass()
	held.free()
	for i := range 5 {
		c.expect(fmt.Sprint("INSERTED ", i+1))
	}
	if k := told(t, log, "put"); k.Disk < long || k.Turn > k.Disk || k.Count != 5 || k.Tube != "default" {
		t.Errorf("puts that wait for the disk are told as %+v", k)
	}

	release := h.occupy(held)
	c.send("kick 1\r\n")
	other.do(strings.Repeat("Z", 9), "UNKNOWN_COMMAND") // by then the loop has read the kick
	pass()
	release()
	c.expect("KICKED 0")
	if k := told(t, log, "kick"); k.Turn < long || k.Tube != "default" {
		t.Errorf("a kick that waits for its turn is told as %+v", k)
	}
}

// A reserve is not slow because it waits, and nothing is slow if the bound is 0.
func TestWaitsAreNotSlow(t *testing.T) {
	log := slow.New(time.Hour)
	h := newHouse(t, func(o *houseOptions) { o.Slow = log })
	c, other := h.pair(), h.pair()
	c.send("reserve\r\n")
	eventually(t, "it waits", func() bool { return h.waiting() == 1 })
	log.SetBound(0)
	other.put(0, 0, 60, "x")
	c.expect("RESERVED 1 1\r\nx")
	if n := log.Count(); n != 0 {
		t.Errorf("%d commands are told: %+v", n, log.Recent())
	}
}
