package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/cmd/beanfield/node"
	"beanfield/storage/must"
)

// unserved checks that a node which follows serves no client. As long as nobody serves, those that come wait: they
// are served when the node does.
func (m *member) unserved() {
	m.t.Helper()
	if m.refuses {
		m.turnedAway()
	} else {
		for _, network := range []string{"tcp", "unix"} {
			c := m.dial(network)
			c.send("list-tube-used")
			m.held = append(m.held, c)
		}
	}
	m.page("/healthz", 200)
	if body := m.page("/readyz", 503); body != "following: node b serves\nnode b is slow\n" {
		m.t.Errorf("a follower says %q", body)
	}
	if body := m.page("/metrics", 200); !strings.Contains(body, `beanfield_cluster_role{role="follower"} 1`) ||
		strings.Contains(body, "beanfield_cmd_put") {
		m.t.Errorf("the metrics of a follower are\n%s", body)
	}
	m.page("/", 200)
	if body := m.page("/api/v1/overview", 200); !strings.Contains(body,
		`"node":"a","owner":"b","console":"https://10.0.0.2:11381"`) {
		m.t.Errorf("the console of a follower leads nowhere: %s", body)
	}
	m.page("/api/v1/cluster", 200)
	m.page("/api/v1/server", 200)
	m.page("/api/v1/tubes", 503)
}

// turnedAway checks that a node lets no client in: at a TCP address at once, elsewhere by closing the connection.
func (m *member) turnedAway() {
	m.t.Helper()
	if c, err := net.Dial("tcp", m.tcp); !errors.Is(err, syscall.ECONNREFUSED) {
		m.t.Errorf("a follower answers %v, %v", c, err)
	}
	for _, socket := range []string{"/s", "/q"} {
		c := must.Get(net.Dial("unix", m.dir+socket))
		c.SetDeadline(time.Now().Add(patience))
		if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			m.t.Errorf("%s of a follower: %d bytes, %v", socket, n, err)
		}
		c.Close()
	}
}

// page asks the HTTP side for a page.
func (m *member) page(path string, want int) (body string) {
	m.t.Helper()
	status, body := page(m.t, m.dir+"/h", path, "")
	if status != want {
		m.t.Errorf("%s is answered %d %q", path, status, body)
	}
	return body
}

// works has a client at each address do something, and another one wait for a job.
func (m *member) works() (clients []*client) {
	m.t.Helper()
	for _, network := range []string{"tcp", "unix"} {
		c := m.dial(network)
		c.expect("watch idle", "WATCHING 2")
		c.expect("ignore default", "WATCHING 1")
		c.expect("list-tube-used", "USING default")
		c.send("reserve")
		clients = append(clients, c)
	}
	clients = append(clients, m.dial("tcp"))
	clients[2].send("put 0 0 60 1\r\nx")
	must.Get(clients[2].r.ReadString('\n'))
	clients[2].until("current-waiting", "2")
	if status, answer, _ := request(m.t, nil, m.dir+"/q", "POST", "/api/predict/a", "", "x"); status != 200 {
		m.t.Errorf("a put over HTTP is answered %d %s", status, answer)
	}
	m.page("/metrics", 200)
	m.page("/api/v1/overview", 200)
	m.page("/api/v1/cluster", 200)
	m.page("/api/v1/tubes", 200)
	return clients
}

// What one term leaves behind does not grow with the next: no goroutine, no descriptor. It may end in
// order or at once, and begins again at the same addresses.
func TestTenTerms(t *testing.T) {
	t.Run("clients are passed on", func(t *testing.T) { tenTerms(t, newMember(t)) })
	t.Run("clients are refused", func(t *testing.T) { tenTerms(t, newMember(t, refusing)) })
}

const refusing = "forward = false\n"

func tenTerms(t *testing.T, m *member) {
	m.unserved()
	const some = 5 // less than one for each term
	goroutines, files := runtime.NumGoroutine()+some, descriptors(t)+some
	for n := range 10 {
		m.unserved()
		term := m.serves()
		clients := m.works()
		if n%2 == 0 {
			close(term.leave)
		} else {
			close(term.lost)
		}
		for _, c := range clients {
			c.gone("")
			c.Close()
		}
		<-term.ended
		<-term.store.closed
		m.until("all goroutines have ended", func() bool { return runtime.NumGoroutine() <= goroutines })
		m.until("all files are closed", func() bool { return descriptors(t) <= files })
	}
	m.unserved()
	m.finish()
}

// A term that is lost before the server may answer opens no door, and the next one does.
func TestTermIsLostBeforeItServes(t *testing.T) {
	m := newMember(t)
	term := newModelTerm()
	term.late = true
	m.terms <- term
	<-term.ended
	if text := m.said.String(); !strings.Contains(text, "another one does already") {
		t.Error("it has opened its addresses:", text)
	}
	<-term.store.closed
	m.unserved()
	m.serves()
	m.finish()
}

// shut says that clients who come now are not served.
func (m *member) shut() bool {
	status, _ := page(m.t, m.dir+"/h", "/readyz", "")
	return status == 503
}

// descriptors is how many this process has.
func descriptors(t *testing.T) int { return len(must.Get(os.ReadDir("/proc/self/fd"))) }

// A term that ends in order answers what is due; nothing that a client was told is lost by it.
func TestTermEndsInOrder(t *testing.T) {
	m := newMember(t)
	term := m.serves()
	c := m.dial("tcp")
	c.expect("list-tube-used", "USING default")
	term.store.hold()
	c.send("put 0 0 60 1\r\nx")
	m.until("the put waits for the log", func() bool { return term.store.queued() > 0 })
	close(term.leave)
	m.until("nobody is served any more", m.shut)
	select {
	case <-term.ended:
		t.Error("the term ended before what was due was answered")
	default:
	}
	term.store.tell(nil)
	c.gone("INSERTED 1\r\n")
	<-term.ended
	m.finish()
}

// A term that is lost ends without another answer, also while it is ending in order. Nobody waits for
// answers that the log still has.
func TestTermIsLost(t *testing.T) {
	m := newMember(t)
	for _, leaving := range []bool{false, true} {
		term := m.serves()
		c, idle := m.dial("tcp"), m.dial("unix")
		idle.expect("list-tube-used", "USING default")
		term.store.hold()
		c.send("put 0 0 60 1\r\nx")
		m.until("the put waits for the log", func() bool { return term.store.queued() > 0 })
		if leaving {
			close(term.leave)
			m.until("nobody is served any more", m.shut)
		}
		close(term.lost)
		if !leaving {
			idle.gone("")
		}
		term.store.tell(errors.New("another node has a newer epoch"))
		if rest, err := io.ReadAll(c.r); err != nil || leaving && string(rest) != "" &&
			string(rest) != "INTERNAL_ERROR\r\n" || !leaving && len(rest) > 0 {
			t.Errorf("the client hears %q, %v", rest, err)
		}
		<-term.ended
		m.unserved()
	}
	m.finish()
}

// From when the log takes nothing more until the term's connections are cut, no client hears anything about jobs, not
// even that there are none: another node may have some by now. What stats and list-tubes count may be old.
func TestLostTermKnowsNothing(t *testing.T) {
	m := newMember(t)
	term := m.serves()
	c := m.dial("tcp")
	c.expect("use other", "USING other")
	term.store.tell(errors.New("another node has a newer epoch"))
	for _, line := range []string{"peek 99", "delete 99", "delete-batch 5\r\n98 99", "kick-job 99", "stats-job 99",
		"reserve-job 99",
		"peek-ready", "reserve-with-timeout 0", "kick 1", "stats-tube other", "put 0 0 60 1\r\nx"} {
		c.expect(line, "INTERNAL_ERROR")
	}
	close(term.lost)
	<-term.ended
	m.finish()
}

// lateNode has a term at the moment at which nobody wants one any more.
type lateNode struct {
	*modelNode
	term *modelTerm
}

func (n lateNode) Term(ctx context.Context) (node.Term, error) {
	<-ctx.Done()
	return n.term, nil
}

// A term that comes while the process ends, because it cannot take clients any more, is ended: the node waits for that.
func TestTermComesTooLate(t *testing.T) {
	sig, _ := stoppable(t)
	broken := make(chan error, 1)
	broken <- errors.New("no listener")
	l := &life{daemon: &daemon{log: slog.New(slog.DiscardHandler), garbage: &bounds{}}, sig: sig,
		srv: &fronts{passing: &passing{broken: broken}}}
	n := lateNode{term: newModelTerm()}
	if term, err := l.follow(n); term != nil || err == nil {
		t.Errorf("it has %v, %v", term, err)
	}
	select {
	case <-n.term.ended:
	default:
		t.Error("the term goes on")
	}
}
