package generator

import (
	"syscall"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
)

// socketPair is a connection whose other end the test holds.
func socketPair(t *testing.T) (own, other int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() { syscall.Close(fds[1]) }) // the loop closes the other
	return fds[0], fds[1]
}

// When a connection's next request goes out: at once, where the loop spins, and where it
// sleeps, only after all answers have been read that it woke up for.
func TestWhenTheNextRequestGoesOut(t *testing.T) {
	wires := must.Get(socket.NewLoop(1))
	defer wires.Close()
	for wait, early := range map[Wait]bool{WaitSpin: true, WaitEpoll: false} {
		l, first := awaiting(opPut, 1, func(ld *load.Load) { ld.Kind = load.KindPut })
		l.run.wait, l.stopping = wait, false
		var others []int
		for range 2 {
			fd, other := socketPair(t)
			others = append(others, other)
			c := &conn{plan: first.plan, op: opPut, left: 1, random: first.random}
			c.wire = must.Get(wires.Add(fd, nil, c))
			must.Do(t, arrive(l, c, "INSERTED 5\r\n"))
			if _, e := socket.Read(other, make([]byte, 100)); (e == 0) != early {
				t.Errorf("%s: after one answer, reading the next request gives %v", wait, e)
			}
		}
		must.Do(t, l.sendBurst())
		for _, other := range others {
			if _, e := socket.Read(other, make([]byte, 100)); (e == 0) == early {
				t.Errorf("%s: after all answers, reading the next request gives %v", wait, e)
			}
		}
		if len(l.burst) != 0 {
			t.Errorf("%s: %d connections are sent to again", wait, len(l.burst))
		}
	}
}
