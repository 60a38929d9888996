package beanstalk

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/secure"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

var gid = os.Getgid()

func optional(o *secure.Options) { o.Optional = true }

func itoa(n int) string { return strconv.Itoa(n) }

// clientOf is the client's end of a connection over TLS.
func clientOf(t testing.TB, near net.Conn, c *tls.Config) net.Conn {
	t.Helper()
	nc := tls.Client(near, c)
	must.Do(t, nc.Handshake())
	return nc
}

// The rules change all the time beneath clients that put, reserve and delete over several
// shards: no job is lost or handed out twice, and nothing is left behind (house.close).
func TestReplaceStorm(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Put|access.Reserve, "*"))
	policies := []*access.Policy{
		nil, rules(t), rules(t, rule("one", access.Put|access.Reserve, "a")),
		rules(t, rule("one", access.Put|access.Reserve, "*")),
		rules(t, rule("one", access.Put|access.Reserve, "b*", "default")),
	}
	workers, rounds := 6, 200/shortShare(4)
	var clients []*client
	for range workers {
		clients = append(clients, h.as("one"))
	}
	var stop atomic.Bool
	var storm, work sync.WaitGroup
	storm.Go(func() {
		for i := 0; !stop.Load(); i++ {
			book.Replace(policies[i%len(policies)])
			runtime.Gosched()
		}
		book.Replace(nil)
	})
	var done sync.Map
	for w, c := range clients {
		work.Go(func() { c.work(w, rounds, &done) })
	}
	work.Wait()
	stop.Store(true)
	storm.Wait()
	if n := h.jobs(); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// pipelined is how many reserves work sends at once.
const pipelined = 2

// work puts jobs, reserves as many and deletes them, again and again, and notes them. What is refused
// is tried until it is allowed.
func (c *client) work(w, rounds int, done *sync.Map) {
	tubes := []string{"a", "b1", "b2"}
	for _, tube := range tubes {
		for c.ask("watch "+tube) == "BAD_FORMAT" {
		}
	}
	for i := range rounds {
		for range pipelined {
			c.ask("use " + tubes[(i+w)%3])
			for c.ask("put 0 0 60 1\r\nx") == "BAD_FORMAT" {
			}
		}
		c.send(strings.Repeat("reserve\r\n", pipelined))
		var held []uint64
		for range pipelined {
			id, _ := c.job("RESERVED")
			if _, twice := done.LoadOrStore(id, w); twice {
				c.t.Errorf("R1: job %d comes twice", id)
			}
			held = append(held, id)
		}
		for _, id := range held {
			c.do(fmt.Sprintf("delete %d", id), "DELETED")
		}
	}
}

// A client certificate is a way to be known.
func TestCertificateIsIdentity(t *testing.T) {
	a, _ := credentials()
	h, book := newBooked(t)
	p := must.Get(access.New([]access.Rule{{Holder: access.Holder{CommonNames: []string{"worker*"}}, May: access.Put,
		Tubes: []string{"*"}}}))
	book.Replace(p)
	certs := certificates(t, optional)
	for _, c := range []struct {
		own  []securetest.Pair
		want string
	}{{[]securetest.Pair{a.Usual("worker 7")}, "INSERTED 1"}, {[]securetest.Pair{a.Usual("other")}, "BAD_FORMAT"},
		{nil, "BAD_FORMAT"}} {
		newClient(t, clientOf(t, h.pairWith(h.server.Door(Door{Certificates: certs})), trust(t, c.own...))).do(
			"put 0 0 9 1\r\nx", c.want)
	}
}

// groupMay is a policy by which the clients of this process may reserve from a tube.
func groupMay(t *testing.T, tube string) *access.Policy {
	t.Helper()
	p := must.Get(access.New([]access.Rule{{GIDs: []uint32{uint32(gid)}, May: access.Reserve, Tubes: []string{tube}}}))
	return p
}

// onlyConn lets a client into a still server that watches t, from which it may reserve, and nothing else.
func onlyConn(t *testing.T) *Conn {
	t.Helper()
	s, l := stillServer(t)
	s.book.Replace(groupMay(t, "t"))
	s.enter(t)
	l.ServeInbox()
	c := l.present()[0]
	c.process([]byte("watch t\r\nignore default\r\n"))
	c.Send()
	return c
}

// Rules that are replaced while a reserve is on its way to its shard hold as soon as its wait
// begins.
func TestReplaceBeforeWait(t *testing.T) {
	c := onlyConn(t)
	if !c.reserve(&protocol.Command{Verb: verbReserve}) || c.run == nil || c.session.WatchShard() < 0 {
		t.Fatal("the reserve is not in a run")
	}
	c.loop.server.book.Replace(groupMay(t, "other"))
	c.flush()
	if !c.session.Waiting() || c.outdated() || c.session.WatchShard() >= 0 {
		t.Errorf("waiting: %v, outdated: %v, at shard %d", c.session.Waiting(), c.outdated(), c.session.WatchShard())
	}
}

// A recheck passes a connection that is asking its shards for deadlines. The wait that goes on
// after that has the rules that hold then.
func TestReplaceDuringRefresh(t *testing.T) {
	c := onlyConn(t)
	c.process([]byte("reserve\r\n"))
	c.await(callRefresh)
	c.loop.server.book.Replace(groupMay(t, "other"))
	c.loop.recheckSome()
	if !c.outdated() {
		t.Fatal("the recheck has not passed the connection")
	}
	c.finish(callRefresh, true)
	if !c.session.Waiting() || c.outdated() || c.session.WatchShard() >= 0 {
		t.Errorf("waiting: %v, outdated: %v, at shard %d", c.session.Waiting(), c.outdated(), c.session.WatchShard())
	}
}
