package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage/must"
)

// A comparison that cannot fail proves nothing. Here both servers are
// beanstalkd, and a proxy before the second one changes single replies: with no
// change the runs must be equal, with any change they must not be.

// proxy passes replies through change, which may return something else. It is
// told how many replies came before, over all connections.
type proxy struct {
	listener net.Listener
	target   string
	count    atomic.Int64
	change   func(n int64, raw []byte) []byte
	wg       sync.WaitGroup
}

func startProxy(t *testing.T, target string, change func(int64, []byte) []byte) *proxy {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	p := &proxy{listener: l, target: target, change: change}
	p.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(conn) })
		}
	})
	return p
}

func (p *proxy) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	target, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = target.Close() }()
	p.wg.Go(func() {
		_, err := io.Copy(target, conn)
		if err != nil {
			_ = target.(*net.TCPConn).SetLinger(0) // a reset stays a reset
			_ = target.Close()
			return
		}
		_ = target.(*net.TCPConn).CloseWrite()
	})
	r := bufio.NewReader(target)
	for {
		raw, err := client.ReadRaw(r)
		if len(raw) > 0 {
			out := p.change(p.count.Add(1)-1, raw)
			if out == nil {
				return
			}
			if _, err := conn.Write(out); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) stop() {
	_ = p.listener.Close()
	p.wg.Wait()
}

// proxied starts two beanstalkds with a proxy before the second one. The
// control connection passes by it.
func proxied(t *testing.T, patience time.Duration, maxJob int, change func(int64, []byte) []byte) *pair {
	t.Helper()
	command := []string{clienttest.Beanstalkd(t)}
	pr := must.Get(startPair(context.Background(), programs{reference: command,
		subject: map[form][]string{never: command}, same: true, patience: patience}, never, maxJob))
	p := startProxy(t, pr.sub.server.Addr, change)
	pr.sub.server.Addr = p.listener.Addr().String()
	t.Cleanup(func() {
		pr.stop()
		p.stop()
	})
	return pr
}

const generous, hurried = 5 * time.Minute, 200 * time.Millisecond

func randomOver(t *testing.T, seed uint64, patience time.Duration, change func(int64, []byte) []byte) *randomRun {
	t.Helper()
	gen := newGenerator(seed)
	gen.timed = 0
	r := &randomRun{pair: proxied(t, patience, gen.maxJob, change), gen: gen, seed: seed}
	r.run(context.Background(), 250)
	return r
}

func TestUnchangedRunsAreEqual(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := randomOver(t, seed, generous, func(_ int64, raw []byte) []byte { return raw })
		if r.differs != nil {
			t.Errorf("seed %d, step %d: %v", seed, r.steps, r.differs)
		}
		if r.commands < 500 {
			t.Errorf("seed %d compared only %d commands", seed, r.commands)
		}
	}
}

// A slow subject is not a wrong one.
func TestSlowRepliesAreEqual(t *testing.T) {
	t.Parallel()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	r := randomOver(t, 3, generous, func(n int64, raw []byte) []byte {
		if n%20 == 0 {
			<-pause.C
		}
		return raw
	})
	if r.differs != nil {
		t.Errorf("step %d: %v", r.steps, r.differs)
	}
}

// changes are what can be wrong with a reply.
var changes = map[string]func(raw []byte) []byte{
	"last byte":     func(raw []byte) []byte { return append(raw[:len(raw)-1:len(raw)-1], '\r') },
	"first letter":  func(raw []byte) []byte { return append([]byte("X"), raw[1:]...) },
	"dropped":       func([]byte) []byte { return []byte{} },
	"closed":        func([]byte) []byte { return nil },
	"twice":         func(raw []byte) []byte { return append(raw[:len(raw):len(raw)], raw...) },
	"another reply": func([]byte) []byte { return []byte("INTERNAL_ERROR\r\n") },
	"cut off":       func(raw []byte) []byte { return raw[:len(raw)-2] },
}

func TestChangedRepliesAreCaught(t *testing.T) {
	t.Parallel()
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int64{10, 300} {
				var changed atomic.Bool
				var r *randomRun
				// On a busy machine a run may end before that reply.
				for patience := hurried; !changed.Load() && patience < generous; patience *= 4 {
					r = randomOver(t, uint64(at), patience, func(n int64, raw []byte) []byte {
						if n == at {
							changed.Store(true)
							return change(raw)
						}
						return raw
					})
				}
				if !changed.Load() {
					t.Fatalf("reply %d never came; %d commands", at, r.commands)
				}
				if r.differs == nil {
					t.Errorf("reply %d: nobody noticed", at)
				}
			}
		})
	}
}

// scripted runs a script over the proxy.
func scripted(t *testing.T, script string, patience time.Duration, change func(int64, []byte) []byte) error {
	t.Helper()
	in := must.Get(parseScript(script))
	pr := proxied(t, patience, defaultMaxJob, change)
	return (&play{pair: pr}).run(in)
}

const anyScript = `
	a: put 0 0 100 1\r\nx
	b> reserve
	b< 1
	b: stats-job 1
	a: list-tubes
	b-`

func TestScriptsNoticeChanges(t *testing.T) {
	t.Parallel()
	if err := scripted(t, anyScript, generous, func(_ int64, raw []byte) []byte { return raw }); err != nil {
		t.Error(err)
	}
	for name, change := range changes {
		for at := range int64(6) {
			err := scripted(t, anyScript, hurried, func(n int64, raw []byte) []byte {
				if n == at {
					return change(raw)
				}
				return raw
			})
			if err == nil && !(name == "twice" && at == 5) { // nothing is read on that connection any more
				t.Errorf("%s, reply %d: nobody noticed", name, at)
			}
		}
	}
}

// A difference on purpose is asserted on both sides: the subject must give the
// wanted answer, and the reference another one.
func TestDifferencesAreAsserted(t *testing.T) {
	t.Parallel()
	const script = "differs: for the test\nwant: KICKED 5\\r\\n\na: kick 1"
	kicked := func(text string) func(int64, []byte) []byte {
		return func(_ int64, raw []byte) []byte {
			return bytes.Replace(raw, []byte("KICKED 0"), []byte(text), 1)
		}
	}
	if err := scripted(t, script, generous, kicked("KICKED 5")); err != nil {
		t.Errorf("the wanted difference: %v", err)
	}
	if err := scripted(t, script, generous, kicked("KICKED 6")); err == nil {
		t.Error("another difference than the wanted one passed")
	}
	gone := strings.ReplaceAll(script, "KICKED 5", "KICKED 0")
	if err := scripted(t, gone, generous, kicked("KICKED 0")); err == nil || !strings.Contains(err.Error(),
		"no longer differs") {
		t.Errorf("a difference that is gone: %v", err)
	}
}

// A difference in a cluster that has another owner by now tells nothing; elsewhere it stays what it is.
func TestAnotherOwner(t *testing.T) {
	t.Parallel()
	pr, cut := proxied(t, generous, defaultMaxJob, func(_ int64, raw []byte) []byte { return raw }), errors.New("cut")
	sub, proxy := pr.sub.server, pr.sub.server.Addr
	for _, c := range []struct {
		at                    string
		cluster, again, moved bool
	}{{proxy, true, false, false}, {pr.ref.server.Addr, true, false, true}, {pr.ref.server.Addr, false, false, false},
		{proxy, true, true, false}} {
		if sub.Addr, pr.sub.logs = c.at, c.cluster; c.again {
			sub.Addr = sub.Process.Addr
			must.Do(t, pr.restart())
		}
		if err := pr.blame(cut); errors.As(err, new(starved)) != c.moved || !errors.Is(err, cut) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Replies that come too early or too late are told from those on time.
func TestTimeIsCompared(t *testing.T) {
	t.Parallel()
	const script = "a> reserve-with-timeout 1\na< 1 after 2m"
	if err := scripted(t, script, generous, func(_ int64, raw []byte) []byte { return raw }); err == nil {
		t.Error("an answer after one second passed for one after two minutes")
	}
}
