package event

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/socket"
	"beanfield/storage/must"
	"beanfield/storage/pace"
)

// A loop that finds much to do each time it looks lets others run after a
// quarter of a megabyte; small commands never make it do so.
func TestStepsBack(t *testing.T) {
	for _, c := range []struct {
		clients, each int // bytes that each client has sent
		steps         bool
	}{{4, 120 << 10, true}, {1, 120 << 10, false}, {50, 10 << 10, false}} {
		l, steps := still(t), 0
		l.stepBack = func() { steps++ }
		var all []int
		for range c.clients {
			_, far := l.enter(t)
			must.Get(syscall.Write(far, make([]byte, c.each)))
			all = append(all, far)
		}
		for _, far := range all {
			for n := 0; n < c.each; {
				got := len(heard(far))
				if n += got; got == 0 {
					l.Round()
				}
			}
		}
		if (steps > 0) != c.steps {
			t.Errorf("%d clients with %d bytes each: the loop stepped back %d times", c.clients, c.each, steps)
		}
		if l.bulk >= bulkShare {
			t.Errorf("%d clients with %d bytes each: %d bytes are still to be stepped back for", c.clients, c.each, l.bulk)
		}
	}
}

// A client that has sent very much is read four times, then its loop's others are served, and then it goes on.
func TestReadsOfATurn(t *testing.T) {
	const turns, read = 3, 1000
	l := still(t)
	l.buf = make([]byte, read)
	_, busy := l.enter(t)
	_, quiet := l.enter(t)
	l.ServeInbox() // both are admitted
	must.Get(syscall.Write(busy, make([]byte, turns*readsPerTurn*read-1)))
	must.Get(syscall.Write(quiet, make([]byte, 1)))
	l.ServeEvents()
	if len(heard(quiet)) != 1 {
		t.Error("the other client is not answered")
	}
	for turn := 1; turn <= turns; turn++ {
		if n, want := len(heard(busy)), readsPerTurn*read; n != want && (turn < turns || n != want-1) {
			t.Fatalf("in turn %d %d bytes are read", turn, n)
		}
		if turn < turns && l.Idle() {
			t.Fatalf("after turn %d it does not ask for another", turn)
		}
		l.ServeInbox()
	}
	if !l.Idle() {
		t.Error("it wants another turn with nothing left to do")
	}
}

// A loop turns to its events after it has served some of its inbox, and sooner
// when these have much to do. All are served in order, each once.
func TestInboxIsServedInShares(t *testing.T) {
	if inboxShare > 256 {
		t.Fatalf("the sockets wait for %d connections", inboxShare)
	}
	for _, c := range []struct {
		name         string
		long, closed bool
		share        int
	}{
		{"ordinary ones", false, false, inboxShare},
		{"those that are in long work", true, false, inboxShare / 8},
		{"those that leave", false, true, inboxShare / 8},
	} {
		l := &Loop{}
		const n = 5*inboxShare/2 + 1
		all := make([]*echo, n)
		for i := range all {
			all[i] = &echo{long: c.long}
			conn := &all[i].Conn
			conn.loop, conn.client, conn.fd, conn.closed = l, all[i], i, c.closed
			l.conns = append(l.conns, conn)
			conn.Notify()
		}
		for served := 0; served < n; {
			before := served
			l.ServeInbox()
			for served < n && !all[served].queued.Load() {
				served++
			}
			if got := served - before; got != min(c.share, n-before) {
				t.Fatalf("%s: %d are served at once, want %d", c.name, got, c.share)
			}
			for _, later := range all[served:] {
				if !later.queued.Load() {
					t.Fatalf("%s: they are not served in order", c.name)
				}
			}
			if l.Idle() != (served == n) {
				t.Fatalf("%s: the loop believes to be idle after %d of %d", c.name, served, n)
			}
		}
	}
}

// A loop does not sleep while a shard may be about to answer, nor when something has
// happened meanwhile; but in the end it does.
func TestLingersWhileAShardIsBusy(t *testing.T) {
	l := still(t)
	c, far := l.enter(t)
	l.ServeInbox()
	l.poll.Peek() // the registration's own event
	for _, k := range []struct {
		what      string
		busy      func(look int) bool
		calls     int
		looks     int
		hasEvents bool
	}{
		{"a shard that is busy twice", func(look int) bool { return look < 3 }, 1, 3, false},
		{"a shard that is always busy", func(int) bool { return true }, 1, mostYields, false},
		{"input after the third look", func(look int) bool {
			if look == 3 {
				syscall.Write(far, []byte("x"))
			}
			return true
		}, 1, 3, true},
		{"an answer after the third look", func(look int) bool {
			if look == 3 {
				c.Notify()
			}
			return true
		}, 1, 3, false},
		{"no shard that owes an answer", nil, 0, 0, false},
	} {
		looks := 0
		l.calls, l.asked = k.calls, 7
		l.group.Shards = noShards{func(shard int) bool { looks++; return shard == 7 && k.busy(looks) }}
		if events := l.linger(); looks != k.looks || len(events) > 0 != k.hasEvents {
			t.Errorf("%s: asked %d times, %d events", k.what, looks, len(events))
		}
	}
}

// Who has been woken on the loop's place runs before the loop sleeps. With one place only the loop's yield lets it.
func TestYieldsToTheWoken(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l := still(t)
	l.yielded = l.group.Shards.Now()
	var ran atomic.Bool
	go ran.Store(true)
	for range 100 { // now and then the scheduler takes the loop itself first
		pace.Woke()
		if l.yield(); ran.Load() {
			return
		}
	}
	t.Error("a goroutine that was woken has not run")
}

// A sleep until an alarm ends at most a millisecond after it, and never before it.
func TestSleepsAreLongEnough(t *testing.T) {
	for _, c := range []struct {
		left time.Duration
		ms   int
	}{{-time.Hour, 0}, {0, 0}, {1, 1}, {time.Millisecond, 1}, {time.Millisecond + 1, 2}, {time.Second, 1000},
		{1000 * time.Hour, int(longestSleep.Milliseconds())}} {
		if got := milliseconds(c.left); got != c.ms {
			t.Errorf("a sleep of %v is one of %d ms, want %d", c.left, got, c.ms)
		}
	}
}

// A loop does not sleep while there is an errand: whoever rang the bell may have found the loop awake and not woken it.
func TestNoSleepBeforeAnErrand(t *testing.T) {
	l := still(t)
	ran := false
	l.Ask(func() { ran = true })
	l.sleep()
	if l.ServeInbox(); !ran {
		t.Error("the errand has not been run")
	}
}

// A loop goes through its clients in parts, each when it is asked to.
func TestClientsInParts(t *testing.T) {
	l := still(t)
	for range 2 * partLength {
		l.enter(t)
	}
	for !l.Idle() {
		l.ServeInbox()
	}
	n, parts := 0, 0
	for from, over := 0, false; !over; over = from == 0 {
		before := n
		l.Ask(func() { from = l.visit(from, func(Client) { n++ }) })
		l.ServeInbox()
		if parts++; n-before > partLength || !l.Idle() {
			t.Fatalf("a part has %d clients", n-before)
		}
	}
	// The first descriptors are not those of clients.
	if n != 2*partLength || parts < 3 {
		t.Errorf("%d clients in %d parts", n, parts)
	}
}

// A loop that does not run is stuck, from the second look on. One that runs, sleeps, or
// has ended is not.
func TestStuckLoop(t *testing.T) {
	l := still(t)
	never := func(state string) {
		for range 3 {
			if got := l.group.Stuck(); got != -1 {
				t.Errorf("a loop that %s is stuck: %d", state, got)
			}
		}
	}
	l.asleep.Store(true)
	never("sleeps")
	l.asleep.Store(false)
	for i, want := range []int{-1, 0, 0} {
		if got := l.group.Stuck(); got != want {
			t.Errorf("look %d at a loop that stands still: %d, want %d", i, got, want)
		}
	}
	_, far := l.enter(t)
	must.Get(syscall.Write(far, []byte("x")))
	for heard(far) == "" {
		l.Round()
	}
	if !l.pulse.Alive(true) {
		t.Error("no beat after two rounds")
	}
	close(l.done)
	never("has ended")
	l.done = make(chan struct{})
}

// A connection that has had its share stops although its socket would take
// more, and is told again at the loop's next look.
func TestSendsInShares(t *testing.T) {
	l := still(t)
	c, far := l.enter(t)
	l.ServeInbox()
	l.poll.Peek() // the registration's own event

	const share = 1000
	want := bytes.Repeat([]byte("0123456789"), 410) // four shares and a rest
	left := func() (n int) {
		for _, b := range c.stuck {
			n += len(b)
		}
		return n
	}
	l.share = share
	l.Out = append(l.Out, want[:3500]...)
	c.Send()
	l.Out = append(l.Out, want[3500:]...) // joins what is stuck
	c.Send()
	// Nobody reads meanwhile: the socket itself has nothing new to say.
	for turn := 1; c.Stuck(); turn++ {
		if n := len(want) - left(); n != turn*share {
			t.Fatalf("after %d turns %d bytes have been sent", turn, n)
		}
		events := l.poll.Peek()
		if len(events) != 1 || events[0].Events&socket.Room == 0 {
			t.Fatalf("turn %d: the loop is not told to go on: %v", turn, events)
		}
		l.share = share
		c.unstick()
	}
	if heard(far) != string(want) {
		t.Error("what was stuck comes in another order, or not all of it")
	}
	if c.polling {
		t.Error("room in the socket is still watched for")
	}
}

// A reply buffer that became large for one connection is not kept.
func TestLargeReplyBufferIsGivenBack(t *testing.T) {
	l := still(t)
	c, _ := l.enter(t)
	l.ServeInbox()
	l.Out = append(make([]byte, 0, 8*SendAt), "x"...)
	c.Send()
	if cap(l.Out) > 4*SendAt {
		t.Errorf("a buffer of %d bytes is kept", cap(l.Out))
	}
}
