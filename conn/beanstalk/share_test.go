package beanstalk

import (
	"fmt"
	"testing"
)

// waiters are connections of a server that does not run, which wait at t and at many other tubes.
func waiters(t *testing.T, s *Server, connections, tubes int) (all []*Conn) {
	t.Helper()
	s.book.Replace(groupMay(t, "t*"))
	for range connections {
		s.enter(t)
	}
	l := s.loops[0]
	for !l.Idle() {
		l.ServeInbox()
	}
	all = l.present()
	for _, c := range all {
		for i := range tubes {
			l.Turn()
			c.process(fmt.Appendf(nil, "watch t%d\r\n", i))
			l.Out = l.Out[:0]
		}
		l.Turn()
		c.process([]byte("ignore default\r\nreserve\r\n"))
		c.Send()
		if !c.session.Waiting() {
			t.Fatal("a connection does not wait")
		}
	}
	if len(all) != connections {
		t.Fatalf("%d have come in", len(all))
	}
	return all
}

// settledTubes are how many tubes a recheck has looked at.
func settledTubes(l *loop, all []*Conn) (n int) {
	for _, c := range all {
		switch {
		case c == l.partly:
			n += l.tubes
		case !c.outdated():
			n += c.session.Watching()
		}
	}
	return n
}

// However many tubes its connections watch, a loop looks at few of them in a round when the rules
// are replaced, and at all of them in the end.
func TestRecheckIsBounded(t *testing.T) {
	for _, c := range []struct{ connections, tubes int }{{1, 3*recheckShare + 5}, {16, 600}, {50, 3}} {
		s, l := stillServer(t)
		all := waiters(t, s, c.connections, c.tubes)
		s.book.Replace(groupMay(t, "*")) // which changes no wait
		l.recheckSoon()
		rounds, before := 0, 0
		for ; l.recheck.Load(); rounds++ {
			l.ServeInbox()
			now := settledTubes(l, all)
			if now-before > recheckShare {
				t.Fatalf("%+v: %d tubes are looked at in a round", c, now-before)
			}
			if now < before || rounds > 1000 {
				t.Fatalf("%+v: it makes no progress", c)
			}
			before = now
		}
		if want := c.connections * c.tubes; before != want || rounds < want/recheckShare {
			t.Errorf("%+v: %d tubes in %d rounds", c, before, rounds)
		}
	}
}

// Rules that are replaced in the middle of a recheck hold for those that it has passed, and for the
// one that it is in the middle of, too; so do those that a wait finds that has just begun.
func TestRecheckOfNewerRules(t *testing.T) {
	for _, tubes := range []int{3, recheckShare + 5} {
		s, l := stillServer(t)
		all := waiters(t, s, 20, tubes)
		s.book.Replace(groupMay(t, "*"))
		l.recheckSoon()
		l.ServeInbox()
		if tubes > recheckShare && (l.partly != all[0] || !all[0].outdated()) {
			t.Fatal("the first is not in the middle")
		}
		s.book.Replace(groupMay(t, "t0")) // nobody tells the loop, as if that came before its end
		for !l.Idle() {
			l.ServeInbox() // a review of many tubes lets others in
		}
		for i, c := range all {
			if !c.session.Waiting() || c.outdated() || c.session.WatchShard() != s.router.TubeShard([]byte("t0")) {
				t.Errorf("%d tubes, connection %d: outdated %v, at shard %d", tubes, i, c.outdated(),
					c.session.WatchShard())
			}
		}
	}
}

// A wait that begins under rules that have been replaced, at more tubes than are looked at at
// once, is looked at once more.
func TestRecheckOfLateWait(t *testing.T) {
	s, l := stillServer(t)
	all := waiters(t, s, 2, recheckShare+5)
	c := all[0]
	c.await(callRefresh)
	s.book.Replace(groupMay(t, "*"))
	l.recheckSoon()
	if l.ServeInbox(); l.partly != all[1] {
		t.Fatal("the recheck has not passed the first connection and begun with the second")
	}
	c.finish(callRefresh, true)
	if !c.outdated() || !l.recheck.Load() {
		t.Fatal("all tubes have been looked at at once, or nobody will look at the rest")
	}
	for l.recheck.Load() {
		l.ServeInbox()
	}
	if c.outdated() {
		t.Error("the wait has not been looked at")
	}
}
