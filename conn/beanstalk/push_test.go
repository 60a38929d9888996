package beanstalk

import (
	"context"
	"errors"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/event"
)

// oneLoop is a house with one loop over a pushStore.
func oneLoop(t *testing.T, shards int) (*house, *pushStore) {
	s := newPushStore(t)
	s.stops = true
	return newHouse(t, func(o *houseOptions) { o.shards, o.Loops, o.store = shards, 1, s }), s
}

// steady is how many pushes of the same shards make a loop steady.
const steady = 16

// inAPush has a client put until its loop is in a push.
func inAPush(h *house, s *pushStore) *client {
	c := h.dial()
	for range steady {
		c.put(0, 0, 60, "x")
		c.do("peek-delayed", "NOT_FOUND") // one now and then does not make it a bystander
	}
	if s.inPlace() > 0 {
		h.t.Error("a push in place came too early")
	}
	c.send("put 0 0 60 1\r\nx\r\n")
	<-s.arrived
	return c
}

// While a push lasts, a stand-in serves those who need not wait for it: commands that write
// nothing, those of other shards, and newcomers. Nothing more is pushed in place meanwhile.
func TestAStandInServesTheOthers(t *testing.T) {
	h, s := oneLoop(t, 3)
	other, _ := h.apart()
	neighbour := h.dial()
	neighbour.do("use "+other, "USING "+other)
	neighbour.do("watch "+other, "WATCHING 2")
	neighbour.do("ignore default", "WATCHING 1")
	c := inAPush(h, s)
	for range 2 * steady {
		neighbour.do("reserve-with-timeout 0", "TIMED_OUT")
		id := neighbour.put(0, 0, 60, "x")
		neighbour.do("stats-job 99", "NOT_FOUND")
		neighbour.do("delete "+itoa(int(id)), "DELETED")
	}
	late := h.dial()
	late.do("list-tube-used", "USING default")
	if n := s.inPlace(); n != 1 {
		t.Errorf("%d pushes in place", n)
	}
	s.leave <- nil
	c.expect("INSERTED 17")
}

// A log that fails while a loop is in a push keeps the loop's goroutine. The client is
// told all the same, and the loop goes on.
func TestALoopOutlivesALogThatFails(t *testing.T) {
	h, s := oneLoop(t, 1)
	c := inAPush(h, s)
	s.leave <- errors.New("broken")
	c.expect("INTERNAL_ERROR")
	for range 2 * steady {
		c.put(0, 0, 60, "x")
	}
	if n := s.inPlace(); n != 1 {
		t.Errorf("%d pushes in place, though one never ended", n)
	}
}

// A server that stops during a push answers what the push is for.
func TestShutdownDuringAPush(t *testing.T) {
	h, s := oneLoop(t, 1)
	c := inAPush(h, s)
	ended := make(chan error)
	go func() { ended <- h.shutdown(context.Background()) }()
	s.leave <- nil
	c.expect("INSERTED 17")
	c.eof()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A loop does not push in place while it serves others who would have to wait for that:
// clients whose commands write nothing, or write to other shards.
func TestNothingInPlaceBesideOthers(t *testing.T) {
	h, s := oneLoop(t, 3)
	one, two := h.apart()
	a, b := h.dial(), h.dial()
	a.do("use "+one, "USING "+one)
	b.do("use "+two, "USING "+two)
	for range 3 * steady {
		a.put(0, 0, 60, "x")
		b.put(0, 0, 60, "x")
	}
	b.do("use "+one, "USING "+one)
	for range 3 * steady {
		a.put(0, 0, 60, "x")
		b.do("peek-delayed", "NOT_FOUND")
	}
	if n := s.inPlace(); n > 0 {
		t.Errorf("%d pushes in place", n)
	}
}

// crowd are clients of a server that does not run, over a pushStore; the first half use a
// tube of shard 0, the others one of shard 1.
func crowd(t *testing.T, n int) (l *loop, far []int, s *pushStore) {
	s = newPushStore(t)
	server, l := stillServerOver(t, s)
	var tubes [2]string
	for i := 0; tubes[0] == "" || tubes[1] == ""; i++ {
		tube := "t" + itoa(i)
		tubes[server.router.TubeShard([]byte(tube))] = tube
	}
	for i := range n {
		fd := server.enter(t)
		tell(t, fd, []byte("use "+tubes[2*i/n]+"\r\n"))
		far = append(far, fd)
	}
	for _, fd := range far {
		for heard(fd) == "" {
			l.Round()
		}
	}
	s.seen()
	return l, far, s
}

// C2: all turns of a loop's round are pushed at once when nothing more is ready: for all shards
// but one by the logs' goroutines, which are told first, and for one in place, once the loop is
// steady. Then all replies leave.
func TestOnePushForAllThatAreReady(t *testing.T) {
	for _, shards := range []int{1, 2} {
		l, far, s := crowd(t, 40)
		far = far[:20*shards]
		for round := range steady + 3 {
			for _, fd := range far {
				tell(t, fd, []byte(strings.Repeat("put 0 0 60 1\r\nx\r\n", 5)))
			}
			l.Round()
			if heard(far[0]) != "" {
				t.Fatalf("round %d: an answer before the push", round)
			}
			l.Round()
			for _, fd := range far {
				if n := strings.Count(heard(fd), "INSERTED"); n != 5 {
					t.Fatalf("round %d: %d answers after the push", round, n)
				}
			}
			got := s.seen()
			for i, p := range got {
				if here := round >= steady && i == shards-1; p.here != here || p.turns != 20 {
					t.Errorf("round %d of %d shards: push %+v", round, shards, p)
				}
			}
			if len(got) != shards {
				t.Errorf("round %d of %d shards: %d pushes", round, shards, len(got))
			}
		}
	}
}

// C2: a loop that has much to do does not let turns wait for its end.
func TestABusyLoopHandsOver(t *testing.T) {
	l, far, s := crowd(t, 40)
	tell(t, far[0], []byte("put 0 0 60 1\r\nx\r\n"))
	for _, fd := range far[1:] {
		tell(t, fd, []byte(strings.Repeat("list-tube-used\r\n", event.EffortShare/effortAlone/4)))
	}
	l.Round()
	if got := s.seen(); len(got) != 1 || got[0] != (pushed{0, false, 1}) {
		t.Errorf("pushes: %+v", got)
	}
	if heard(far[0]) != "INSERTED 1\r\n" {
		t.Error("the turn is not answered")
	}
}
