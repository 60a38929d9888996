package beanstalk

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/conn/beanstalk/protocol"
	"beanfield/storage/must"
)

// Options that change hold at once, for connections that are open too. A put whose line has
// been accepted is completed.
func TestChange(t *testing.T) {
	var set Options
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 10; set = o.Options })
	c, slow := h.dial(), h.dial()
	c.do("put 0 0 1 10\r\n0123456789", "INSERTED 1")
	slow.send("put 0 0 1 10\r\n01234")
	eventually(t, "the line has been read", func() bool { return c.stat("stats", "cmd-put") == "2" })

	set.MaxJobSize, set.Quoting = 9, protocol.QuoteAlways
	apply := must.Get(h.server.Change(set))
	if got := c.stat("stats", "max-job-size"); got != "10" {
		t.Errorf("it is %s before anything has been applied", got)
	}
	apply()
	slow.send("56789\r\n")
	slow.expect("INSERTED 2")
	c.do("put 0 0 1 10\r\n0123456789", "JOB_TOO_BIG")
	c.do("put 0 0 1 9\r\n012345678", "INSERTED 3")
	if size, name := c.stat("stats", "max-job-size"), c.stat("stats-tube default", "name"); size != "9" ||
		name != `"default"` {
		t.Errorf("max-job-size %s, name %s", size, name)
	}
	set.MaxJobSize = -1
	if _, err := h.server.Change(set); err == nil {
		t.Error("a wrong option is taken")
	}
}

// Options may change at any time beside clients.
func TestChangeBesideClients(t *testing.T) {
	var set Options
	h := newHouse(t, func(o *houseOptions) { set = o.Options })
	c := h.dial()
	var stop atomic.Bool
	var changes sync.WaitGroup
	changes.Go(func() {
		for n := 0; !stop.Load(); n++ {
			o := set
			o.MaxJobSize, o.Quoting = 5+n%2*5, protocol.Quoting(n%3)
			apply := must.Get(h.server.Change(o))
			apply()
		}
	})
	for range 200 {
		c.send(strings.Repeat("put 0 0 1 8\r\n01234567\r\n", 10))
		for range 10 {
			if line := c.line(); !strings.HasPrefix(line, "INSERTED ") && line != "JOB_TOO_BIG" {
				t.Fatal(line)
			}
		}
		c.stat("stats", "max-job-size")
	}
	stop.Store(true)
	changes.Wait()
}
