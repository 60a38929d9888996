package beanstalk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// late is how far behind its time an answer may come, on a machine that is idle.
const late = 50 * time.Millisecond

// machine measures how long the machine holds up a goroutine that wants to
// run every few milliseconds, so that the tests below need no idle machine.
type machine struct {
	quit chan struct{}
	held chan time.Duration
}

func watchMachine() *machine {
	m := &machine{quit: make(chan struct{}), held: make(chan time.Duration)}
	go func() {
		const beat = 5 * time.Millisecond
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		var held time.Duration
		for last := time.Now(); ; {
			select {
			case <-ticker.C:
				held = max(held, time.Since(last)-beat)
				last = time.Now()
			case <-m.quit:
				m.held <- held
				return
			}
		}
	}()
	return m
}

// checkTimes wants no answer before its time. A single one may be held up, so
// for the other side it looks at the median.
func (m *machine) checkTimes(t *testing.T, want time.Duration, answers map[string][]time.Duration) {
	t.Helper()
	close(m.quit)
	held := <-m.held
	for what, got := range answers {
		slices.Sort(got)
		if got[0] < want {
			t.Errorf("%s came after %v, which is before %v", what, got[0], want)
		}
		if middle := got[len(got)/2]; middle > want+late+2*held {
			t.Errorf("%s came after %v, want %v", what, middle, want)
		}
		t.Logf("%s: %v to %v, where the machine itself was late by %v", what, got[0], got[len(got)-1], held)
	}
}

// TestReserveTimeout times reserve-with-timeout 1, over one shard and over
// several, many at once.
func TestReserveTimeout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := watchMachine()
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
	m.checkTimes(t, time.Second, map[string][]time.Duration{"TIMED_OUT": times})
}

// TestDeadlineSoonWhileWaiting holds jobs with a TTR of 2 seconds and waits
// for another: after one second, and not after the timeout, the client hears
// of it; it touches the job and waits again with the full timeout.
func TestDeadlineSoonWhileWaiting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := watchMachine()
	const n = 9
	soon, again := make(chan time.Duration, n), make(chan time.Duration, n)
	for i := range n {
		c := h.pair()
		tube := fmt.Sprintf("d%d", i)
		c.do("use "+tube, "USING "+tube)
		c.do("watch "+tube, "WATCHING 2")
		if i%2 == 0 {
			c.do("ignore default", "WATCHING 1")
		}
		id := c.put(0, 0, 2, "x")
		go func() {
			start := time.Now()
			c.nc.Write([]byte("reserve\r\nreserve-with-timeout 100\r\n"))
			c.nc.SetReadDeadline(time.Now().Add(patience))
			for _, want := range []string{fmt.Sprintf("RESERVED %d 1\r\n", id), "x\r\n", "DEADLINE_SOON\r\n"} {
				if got, _ := c.br.ReadString('\n'); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			soon <- time.Since(start)
			start = time.Now()
			fmt.Fprintf(c.nc, "touch %d\r\nreserve-with-timeout 1\r\n", id)
			for _, want := range []string{"TOUCHED\r\n", "DEADLINE_SOON\r\n"} {
				if got, _ := c.br.ReadString('\n'); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			again <- time.Since(start)
		}()
	}
	var first, second []time.Duration
	for range n {
		first = append(first, <-soon)
		second = append(second, <-again)
	}
	// Touched, the margin begins after a second: as the timeout ends. Both
	// are due then, and the deadline is what is told.
	m.checkTimes(t, time.Second, map[string][]time.Duration{"DEADLINE_SOON": first, "DEADLINE_SOON after a touch": second})
}

// TestTimeoutIsNotLostAfterDeadlineSoon hears of a deadline, touches the job
// so that the next deadline is far, and still times out.
func TestTimeoutIsNotLostAfterDeadlineSoon(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.pair()
	c.put(0, 0, 1, "x")
	long := c.put(0, 0, 600, "y")
	c.do("reserve", "RESERVED 1 1\r\nx")
	c.do("reserve", fmt.Sprintf("RESERVED %d 1\r\ny", long))
	c.do("reserve-with-timeout 1", "DEADLINE_SOON")
	c.do("delete 1", "DELETED")
	start := time.Now()
	c.do("reserve-with-timeout 1", "TIMED_OUT")
	if d := time.Since(start); d < time.Second {
		t.Errorf("after %v", d)
	}
}

// TestExpiry lets 300 silent workers lose their jobs: all of them do, each in
// time, and to a client that waits.
func TestExpiry(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := watchMachine()
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
		id, _ := c.job("RESERVED")
		begun[id] = start
		silent = append(silent, c)
	}
	var times []time.Duration
	w := h.pair()
	for range n {
		w.send("reserve-with-timeout 5\r\n")
		id, _ := w.job("RESERVED")
		times = append(times, time.Since(begun[id]))
		w.do(fmt.Sprintf("delete %d", id), "DELETED")
	}
	m.checkTimes(t, time.Second, map[string][]time.Duration{"expiry": times})
	if got := p.stat("stats", "job-timeouts"); got != fmt.Sprint(n) {
		t.Errorf("%s jobs have timed out, want %d", got, n)
	}
	silent[0].do("reserve-with-timeout 0", "TIMED_OUT") // no deadline is left
}

// TestTouchKeepsTheJob touches a job with a TTR of one second for longer than
// that, on the beat of another connection's timeouts.
func TestTouchKeepsTheJob(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, beat := h.pair(), h.pair()
	c.put(0, 0, 2, "x")
	c.do("reserve", "RESERVED 1 1\r\nx")
	for range 3 {
		beat.do("reserve-with-timeout 1", "TIMED_OUT")
		c.do("touch 1", "TOUCHED")
	}
	c.do("delete 1", "DELETED")
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
