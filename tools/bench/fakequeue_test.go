package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fakeQueue is as little of a server as the loads need, in this process, so that
// the generator is tested without one. tamper may change any reply.
type fakeQueue struct {
	mu      sync.Mutex
	changed *sync.Cond
	jobs    map[uint64]*fakeJob
	ready   map[string][]*fakeJob // by id; loads give one priority, a backlog another
	nextID  uint64
	total   int
	closing bool
	puts    map[string]int  // of each tube
	paused  map[string]bool // tubes
	conns   []net.Conn
	tamper  func(verb, reply string) string
	stall   func(verb string) // called before a command is run, without the lock
}

type fakeJob struct {
	id, priority uint64
	tube, body   string
	holder       *fakeClient
	delayed      bool
	buried       bool
}

type fakeClient struct {
	q     *fakeQueue
	r     *bufio.Reader
	w     *bufio.Writer
	conn  net.Conn
	tube  string
	watch []string
}

func startFakeQueue(t *testing.T) (*fakeQueue, string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	q := newFakeQueue()
	t.Cleanup(q.listen(l))
	return q, l.Addr().String()
}

func newFakeQueue() *fakeQueue {
	q := &fakeQueue{
		jobs: map[uint64]*fakeJob{}, ready: map[string][]*fakeJob{}, puts: map[string]int{}, paused: map[string]bool{},
	}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// listen serves until the function that it returns is called.
func (q *fakeQueue) listen(l net.Listener) (stop func()) {
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			q.mu.Lock()
			q.conns = append(q.conns, conn)
			q.mu.Unlock()
			running.Go(func() { q.serve(conn) })
		}
	})
	return func() {
		l.Close()
		q.mu.Lock()
		q.closing = true
		for _, c := range q.conns {
			c.Close()
		}
		q.changed.Broadcast()
		q.mu.Unlock()
		running.Wait()
	}
}

func (q *fakeQueue) serve(conn net.Conn) {
	c := &fakeClient{
		q: q, conn: conn, r: bufio.NewReader(conn), w: bufio.NewWriter(conn), tube: "default", watch: []string{"default"},
	}
	defer c.leave()
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return
		}
		verb, args, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), " ")
		body := ""
		if verb == "put" {
			f := strings.Fields(args)
			size, _ := strconv.Atoi(f[3])
			text := make([]byte, size+2)
			if _, err := io.ReadFull(c.r, text); err != nil {
				return
			}
			body = string(text[:size])
		}
		if q.stall != nil {
			q.stall(verb)
		}
		q.mu.Lock()
		reply, ok := c.run(verb, args, body)
		q.mu.Unlock()
		if !ok {
			return
		}
		if q.tamper != nil {
			reply = q.tamper(verb, reply)
		}
		c.w.WriteString(reply)
		if c.r.Buffered() == 0 {
			c.w.Flush()
		}
	}
}

// leave gives back what the client held.
func (c *fakeClient) leave() {
	c.conn.Close()
	c.q.mu.Lock()
	defer c.q.mu.Unlock()
	for _, j := range c.q.jobs {
		if j.holder == c {
			j.holder = nil
			c.q.add(j)
		}
	}
}

// add makes a job ready; each tube is in the order of (priority, id).
func (q *fakeQueue) add(j *fakeJob) {
	list := q.ready[j.tube]
	at := len(list)
	for at > 0 && (list[at-1].priority > j.priority || list[at-1].priority == j.priority && list[at-1].id > j.id) {
		at--
	}
	q.ready[j.tube] = slices.Insert(list, at, j)
	q.changed.Broadcast()
}

func (c *fakeClient) run(verb, args, body string) (string, bool) {
	q := c.q
	id, _ := strconv.ParseUint(args, 10, 64)
	switch verb {
	case "put":
		return c.put(args, body), true
	case "use":
		c.tube = args
		return "USING " + args + "\r\n", true
	case "watch":
		if !slices.Contains(c.watch, args) {
			c.watch = append(c.watch, args)
		}
		return fmt.Sprintf("WATCHING %d\r\n", len(c.watch)), true
	case "ignore":
		c.watch = slices.DeleteFunc(c.watch, func(s string) bool { return s == args })
		return fmt.Sprintf("WATCHING %d\r\n", len(c.watch)), true
	case "reserve", "reserve-with-timeout":
		return c.reserve(verb == "reserve")
	case "reserve-job":
		j := q.jobs[id]
		if j == nil || j.holder != nil {
			return "NOT_FOUND\r\n", true
		}
		q.ready[j.tube] = slices.DeleteFunc(q.ready[j.tube], func(o *fakeJob) bool { return o == j })
		return c.hold(j), true
	case "delete":
		return c.remove(id), true
	case "stats":
		return q.stats(), true
	case "bury", "kick", "pause-tube", "stats-tube":
		return c.runMore(verb, args), true
	}
	return "UNKNOWN_COMMAND\r\n", true
}

func (c *fakeClient) put(args, body string) string {
	q := c.q
	q.nextID++
	q.total++
	q.puts[c.tube]++
	f := strings.Fields(args)
	j := &fakeJob{id: q.nextID, tube: c.tube, body: body}
	j.priority, _ = strconv.ParseUint(f[0], 10, 64)
	q.jobs[j.id] = j
	if delay, _ := strconv.Atoi(f[1]); delay > 0 {
		j.delayed = true
		time.AfterFunc(time.Duration(delay)*time.Second, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			j.delayed = false
			q.add(j)
		})
	} else {
		q.add(j)
	}
	return fmt.Sprintf("INSERTED %d\r\n", j.id)
}

func (c *fakeClient) reserve(wait bool) (string, bool) {
	for !c.q.closing {
		var best *fakeJob
		for _, tube := range c.watch {
			if list := c.q.ready[tube]; len(list) > 0 && !c.q.paused[tube] &&
				(best == nil || list[0].priority < best.priority || list[0].priority == best.priority && list[0].id < best.id) {
				best = list[0]
			}
		}
		if best != nil {
			c.q.ready[best.tube] = c.q.ready[best.tube][1:]
			return c.hold(best), true
		}
		if !wait {
			return "TIMED_OUT\r\n", true
		}
		c.w.Flush() // what the reserves before this one have brought
		c.q.changed.Wait()
	}
	return "", false
}

func (c *fakeClient) hold(j *fakeJob) string {
	j.holder = c
	return fmt.Sprintf("RESERVED %d %d\r\n%s\r\n", j.id, len(j.body), j.body)
}

func (q *fakeQueue) stats() string {
	ready, reserved := 0, 0
	for _, list := range q.ready {
		ready += len(list)
	}
	for _, j := range q.jobs {
		if j.holder != nil {
			reserved++
		}
	}
	text := fmt.Sprintf("---\ncurrent-jobs-ready: %d\ncurrent-jobs-reserved: %d\ncurrent-jobs-delayed: 0\ncurrent-jobs-buried: 0\ntotal-jobs: %d\n",
		ready, reserved, q.total)
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(text), text)
}
