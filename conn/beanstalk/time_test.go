package beanstalk

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notBefore wants no answer before its time. How long after it one comes depends on the
// machine; that the loop means to give it at its time is TestAlarmsAreExact.
func notBefore(t *testing.T, want time.Duration, what string, got []time.Duration) {
	t.Helper()
	slices.Sort(got)
	if got[0] < want {
		t.Errorf("%s came after %v, which is before %v", what, got[0], want)
	}
	t.Logf("%s: %v to %v", what, got[0], got[len(got)-1])
}

// The times for which a loop sets its alarms are those that the client has asked for, and a
// sleep until one ends at most a millisecond after it, and never before it.
func TestAlarmsAreExact(t *testing.T) {
	s := stillServer(t)
	l := s.loops[0]
	far := s.enter(t)
	serve := func() {
		l.serveInbox()
		l.serveEvents()
	}
	for i, c := range []struct {
		text string
		want time.Duration
	}{
		{"reserve-with-timeout 7\r\n", 7 * time.Second},
		{"reserve-with-timeout 1000000\r\n", 1000000 * time.Second},
		{"put 0 0 120 1\r\nx\r\nreserve\r\nreserve-with-timeout 1000\r\n", 119 * time.Second}, // DEADLINE_SOON
		{"put 0 0 120 1\r\nx\r\nreserve\r\nreserve-with-timeout 3\r\n", 3 * time.Second},
		{"put 0 0 60 1\r\nx\r\nreserve\r\nreserve\r\n", 59 * time.Second},
	} {
		before := s.router.Now()
		tell(t, far, fmt.Appendf(nil, "use t%d\r\nwatch t%d\r\nignore default\r\n%s", i, i, c.text))
		serve()
		at, after := l.timers.first(), s.router.Now()
		if at < before+int64(c.want) || at > after+int64(c.want) {
			t.Errorf("%q: the alarm is set for %v after %v, want %v", c.text, time.Duration(at-before), time.Duration(after-before), c.want)
		}
		syscall.Close(far)
		for l.open > 0 {
			serve()
		}
		far = s.enter(t)
	}
	for _, c := range []struct {
		left time.Duration
		ms   int
	}{{-time.Hour, 0}, {0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {time.Second, 1000}, {1000 * time.Hour, int(longestSleep.Milliseconds())}} {
		if got := milliseconds(c.left); got != c.ms {
			t.Errorf("a sleep of %v is one of %d ms, want %d", c.left, got, c.ms)
		}
	}
}

// TestReserveTimeout times reserve-with-timeout 1, over one shard and over
// several, many at once.
func TestReserveTimeout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const n = 30
	took := make(chan time.Duration, n)
	for i := range n {
		c := h.pair()
		for k := range i % 4 {
			c.do(fmt.Sprintf("watch w%d", k), fmt.Sprintf("WATCHING %d", k+2))
		}
		go func() {
			start := time.Now()
			c.nc.Write([]byte("reserve-with-timeout 1\r\n"))
			c.nc.SetReadDeadline(time.Now().Add(patience))
			line, _ := c.br.ReadString('\n')
			if took <- time.Since(start); line != "TIMED_OUT\r\n" {
				t.Errorf("%q", line)
			}
		}()
	}
	var times []time.Duration
	for range n {
		times = append(times, <-took)
	}
	notBefore(t, time.Second, "TIMED_OUT", times)
}

// leased runs steps of a client that holds a job for so long only. If they fail after that
// time, the machine has held them up: that proves nothing, so they are run again, with
// another tube.
func leased(t *testing.T, ttr time.Duration, steps func(tube string, began *time.Time) error) {
	t.Helper()
	for i := 0; ; i++ {
		began := time.Now() // of the lease: before the server begins it
		err := steps(fmt.Sprintf("%s-%d", t.Name(), i), &began)
		if err == nil {
			return
		}
		if time.Since(began) < ttr {
			t.Error(err)
			return
		}
	}
}

// holder is a client that alone uses and watches a tube.
func (h *house) holder(tube string) *client {
	c := h.pair()
	c.do("use "+tube, "USING "+tube)
	c.do("watch "+tube, "WATCHING 2")
	return c
}

// TestDeadlineSoonWhileWaiting holds jobs with a TTR of 2 seconds and waits
// for another: after one second, and not after the timeout, the client hears
// of it; it touches the job and waits again with the full timeout.
func TestDeadlineSoonWhileWaiting(t *testing.T) {
	h := newHouse(t)
	var first, second []time.Duration
	for i := range 3 {
		leased(t, 2*time.Second, func(tube string, began *time.Time) error {
			tube = fmt.Sprint(tube, i)
			c := h.holder(tube)
			defer c.close()
			if i%2 == 0 {
				c.do("ignore default", "WATCHING 1")
			}
			id := c.put(0, 0, 2, "x")
			*began = time.Now()
			if err := c.try("reserve\r\nreserve-with-timeout 100", fmt.Sprintf("RESERVED %d 1\r\nx\r\nDEADLINE_SOON", id)); err != nil {
				return err
			}
			soon := time.Since(*began)
			if err := c.try(fmt.Sprintf("touch %d", id), "TOUCHED"); err != nil {
				return err
			}
			*began = began.Add(soon)
			if err := c.try("reserve-with-timeout 1", "DEADLINE_SOON"); err != nil {
				return err
			}
			first, second = append(first, soon), append(second, time.Since(*began))
			return nil
		})
	}
	// Touched, the margin begins after a second: as the timeout ends. Both
	// are due then, and the deadline is what is told.
	notBefore(t, time.Second, "DEADLINE_SOON", first)
	notBefore(t, time.Second, "DEADLINE_SOON after a touch", second)
}

// TestTimeoutIsNotLostAfterDeadlineSoon hears of a deadline, deletes the job
// so that the next deadline is far, and still times out.
func TestTimeoutIsNotLostAfterDeadlineSoon(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	leased(t, time.Second, func(tube string, began *time.Time) error {
		c := h.holder(tube)
		defer c.close()
		short, long := c.put(0, 0, 1, "x"), c.put(0, 0, 600, "y")
		*began = time.Now()
		if err := c.try("reserve", fmt.Sprintf("RESERVED %d 1\r\nx", short)); err != nil {
			return err
		}
		if err := c.try("reserve", fmt.Sprintf("RESERVED %d 1\r\ny", long)); err != nil {
			return err
		}
		if err := c.try("reserve-with-timeout 1", "DEADLINE_SOON"); err != nil {
			return err
		}
		if err := c.try(fmt.Sprintf("delete %d", short), "DELETED"); err != nil {
			return err
		}
		start := time.Now()
		c.do("reserve-with-timeout 1", "TIMED_OUT")
		if d := time.Since(start); d < time.Second {
			t.Errorf("after %v", d)
		}
		return nil
	})
}

// TestExpiry lets 300 silent workers lose their jobs: all of them do, none too early, and to a client that waits.
func TestExpiry(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const n = 300
	p := h.pair()
	var silent []*client
	begun := map[uint64]time.Time{}
	for range n {
		p.put(0, 0, 1, "x")
	}
	for range n {
		c := h.pair()
		start := time.Now()
		c.send("reserve\r\n")
		id, _ := c.job("RESERVED") // perhaps one that has come back already
		begun[id] = start
		silent = append(silent, c)
	}
	var times []time.Duration
	w := h.pair()
	for deleted := 0; deleted < n; {
		w.send("reserve\r\n")
		id, _ := w.job("RESERVED")
		times = append(times, time.Since(begun[id]))
		if w.ask(fmt.Sprintf("delete %d", id)) == "DELETED" { // else this client was silent for too long itself
			deleted++
		}
	}
	notBefore(t, time.Second, "expiry", times)
	if got := p.stat("stats", "job-timeouts"); got != fmt.Sprint(len(times)) {
		t.Errorf("%s jobs have timed out, want %d", got, len(times))
	}
	silent[0].do("reserve-with-timeout 0", "TIMED_OUT") // no deadline is left
}

// TestTouchKeepsTheJob touches a job with a TTR of one second for longer than
// that, on the beat of another connection's timeouts.
func TestTouchKeepsTheJob(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	beat := h.pair()
	leased(t, 2*time.Second, func(tube string, began *time.Time) error {
		c := h.holder(tube)
		defer c.close()
		id := c.put(0, 0, 2, "x")
		*began = time.Now()
		if err := c.try("reserve", fmt.Sprintf("RESERVED %d 1\r\nx", id)); err != nil {
			return err
		}
		for range 3 {
			beat.do("reserve-with-timeout 1", "TIMED_OUT")
			now := time.Now()
			if err := c.try(fmt.Sprintf("touch %d", id), "TOUCHED"); err != nil {
				return err
			}
			*began = now
		}
		return c.try(fmt.Sprintf("delete %d", id), "DELETED")
	})
}

// TestWakeFromAnotherLoop wakes a waiting client by a put that another loop
// runs, in turns over all pairs of loops, many thousand times.
func TestWakeFromAnotherLoop(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.Loops = 3 })
	const n = 6
	var cs []*client
	for i := range n {
		c := h.pair()
		c.do(fmt.Sprintf("watch loop%d", i), "WATCHING 2")
		c.do("ignore default", "WATCHING 1")
		cs = append(cs, c)
	}
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		for i, c := range cs {
			to := (i + 1 + round%(n-1)) % n
			tube := fmt.Sprintf("loop%d", to)
			cs[to].send("reserve\r\n")
			c.do("use "+tube, "USING "+tube)
			id := c.put(0, 0, 60, tube)
			cs[to].do(fmt.Sprintf("delete %d", id), fmt.Sprintf("RESERVED %d %d\r\n%s\r\nDELETED", id, len(tube), tube))
		}
	}
}

// TestWaitersOfManyTubes has workers wait on overlapping tubes of all shards
// while producers put: every job comes to exactly one.
func TestWaitersOfManyTubes(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.shards = 8; o.Loops = 3 })
	const tubes, workers, jobs = 12, 8, 3000
	got := make(chan string, jobs)
	for w := range workers {
		c := h.pair()
		for i := range tubes {
			if i%3 != w%3 {
				c.ask(fmt.Sprintf("watch m%d", i))
			}
		}
		go func() {
			for {
				c.nc.Write([]byte("reserve\r\n"))
				c.nc.SetReadDeadline(time.Now().Add(patience))
				line, err := c.br.ReadString('\n')
				if err != nil {
					return
				}
				var id, n int
				fmt.Sscanf(line, "RESERVED %d %d", &id, &n)
				c.br.ReadString('\n')
				fmt.Fprintf(c.nc, "delete %d\r\n", id)
				if line, err = c.br.ReadString('\n'); err != nil {
					return
				}
				got <- fmt.Sprint(id, " ", strings.TrimSpace(line))
			}
		}()
	}
	go func() {
		p := h.pair()
		for i := range jobs {
			fmt.Fprintf(p.nc, "use m%d\r\nput %d 0 60 1\r\nx\r\n", i%tubes, i%7)
			p.br.ReadString('\n')
			p.br.ReadString('\n')
		}
	}()
	seen := map[string]bool{}
	for range jobs {
		select {
		case s := <-got:
			if seen[s] || !strings.HasSuffix(s, " DELETED") {
				t.Fatalf("R1: %q", s)
			}
			seen[s] = true
		case <-time.After(patience):
			t.Fatalf("only %d of %d jobs have come", len(seen), jobs)
		}
	}
	eventually(t, "all wait again", func() bool { return h.waiting() == workers })
}
