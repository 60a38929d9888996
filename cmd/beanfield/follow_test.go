package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/storage"
	"beanfield/storage/must"
)

// says waits until the log has a text.
func (m *member) says(text string) {
	m.t.Helper()
	m.until("it says "+text, func() bool { return strings.Contains(m.said.String(), text) })
}

// What a follower is told by signals holds in the terms to come.
func TestFollowerHeedsSignals(t *testing.T) {
	m := newMember(t)
	ask(m.sig.backup)
	m.says("no backup: this node only follows")
	text := string(must.Get(os.ReadFile(m.file)))
	must.Do(t, os.WriteFile(m.file, []byte("shards = -1\n"+text), 0o600))
	ask(m.sig.reload)
	m.says("the configuration is wrong, and stays as it was")
	must.Do(t, os.WriteFile(m.file, []byte("limits.max_job_size = 2\n"+strings.Replace(text, "replicas",
		"engine_unsafe = true\nreplicas", 1)), 0o600))
	ask(m.sig.reload)
	m.says("cluster.engine_unsafe: false now, true in the file: needs a restart")
	for range 2 {
		m.until("it leaves little garbage", m.garbage.follows.Load)
		term := m.serves()
		if m.garbage.follows.Load() {
			t.Error("a node that serves has only a follower's room for garbage")
		}
		c := m.dial("tcp")
		c.expect("put 0 0 1 3\r\nabc", "JOB_TOO_BIG")
		close(term.leave)
		<-term.ended
	}
	close(m.sig.drain)
	m.says("draining: new jobs are refused")
	for range 2 {
		term := newModelTerm()
		m.terms <- term
		m.until("it serves", func() bool { c, err := net.Dial("tcp", m.tcp); return err == nil && c.Close() == nil })
		m.dial("tcp").expect("put 0 0 1 1\r\na", "DRAINING")
		if body := m.page("/readyz?put=1", 503); !strings.Contains(body, "draining") {
			t.Errorf("a node that drains says %q", body)
		}
		close(term.lost)
		<-term.ended
	}
	if n := strings.Count(m.said.String(), "draining: new jobs"); n != 1 {
		t.Errorf("it says %d times that it drains", n)
	}
	m.finish()
}

// A term that is over before the jobs are recovered is thrown away, and the next one is served. That the
// store could not be opened then is no failure of the process. A term in which the copy cannot be read is given up, and
// the process follows again: it fetches another one.
func TestTermLostWhileOpening(t *testing.T) {
	m := newMember(t)
	for _, refused := range []error{nil, errors.New("another node owns the shards"),
		fmt.Errorf("a table: %w", storage.ErrCorrupt)} {
		term := newModelTerm()
		term.store.opening, term.store.refused = make(chan struct{}), refused
		m.terms <- term
		if !errors.Is(refused, storage.ErrCorrupt) {
			close(term.lost)
		}
		close(term.store.opening)
		<-term.ended
		m.unserved()
	}
	m.serves()
	m.finish()
}

// A process that is told to end while it opens a store for a term ends at once, and leaves store and
// node to the end of the process: whoever closes them could do so under the one who opens.
func TestStopWhileOpening(t *testing.T) {
	m := newMember(t)
	term := newModelTerm()
	term.store.opening = make(chan struct{})
	defer close(term.store.opening)
	m.terms <- term
	m.says("taking over")
	m.stop()
	must.Do(t, <-m.ended)
	select {
	case <-term.ended:
		t.Error("the term ends, and the node is closed under the store that is being opened")
	default:
	}
	term.End()
	<-m.closed
}

// A node whose address somebody else has taken ends, and lets another one serve.
func TestAddressTakenMeanwhile(t *testing.T) {
	m := newMember(t, refusing)
	l := must.Get(net.Listen("tcp", m.tcp))
	defer l.Close()
	term := newModelTerm()
	m.terms <- term
	if err := <-m.ended; exit.Code(err) != exit.Listen || !strings.Contains(err.Error(), "cannot listen on "+m.tcp) {
		t.Errorf("it ends with %v", err)
	}
	<-term.ended
	<-m.closed
}
