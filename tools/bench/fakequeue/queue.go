package fakequeue

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

// A Queue is as little of a server as the loads need, in this process, so that
// the generator is tested without one. tamper may change any reply.
type Queue struct {
	Mu      sync.Mutex
	changed *sync.Cond
	Jobs    map[uint64]*Job
	ready   map[string][]*Job // by id; loads give one priority, a backlog another
	nextID  uint64
	Total   int
	closing bool
	puts    map[string]int  // of each tube
	paused  map[string]bool // tubes
	clients map[*Client]bool
	Conns   []net.Conn
	Tamper  func(verb, reply string) string
	Stall   func(verb string) // called before a command is run, without the lock
}

type Job struct {
	id, priority uint64
	tube, body   string
	holder       *Client
	delayed      bool
	buried       bool
}

type Client struct {
	q     *Queue
	r     *bufio.Reader
	w     *bufio.Writer
	conn  net.Conn
	tube  string
	watch []string

	waiting bool // for a job
	gone    bool // while it waited
}

func Start(t *testing.T) (*Queue, string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	q := New()
	t.Cleanup(q.listen(l))
	return q, l.Addr().String()
}

func New() *Queue {
	q := &Queue{
		Jobs: map[uint64]*Job{}, ready: map[string][]*Job{}, puts: map[string]int{}, paused: map[string]bool{}, clients: map[*Client]bool{},
	}
	q.changed = sync.NewCond(&q.Mu)
	return q
}

// listen serves until the function that it returns is called.
func (q *Queue) listen(l net.Listener) (stop func()) {
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			q.Mu.Lock()
			q.Conns = append(q.Conns, conn)
			q.Mu.Unlock()
			running.Go(func() { q.serve(conn) })
		}
	})
	return func() {
		l.Close()
		q.Mu.Lock()
		q.closing = true
		for _, c := range q.Conns {
			c.Close()
		}
		q.changed.Broadcast()
		q.Mu.Unlock()
		running.Wait()
	}
}

func (q *Queue) serve(conn net.Conn) {
	c := &Client{
		q: q, conn: conn, r: bufio.NewReader(conn), w: bufio.NewWriter(conn), tube: "default", watch: []string{"default"},
	}
	q.Mu.Lock()
	q.clients[c] = true
	q.Mu.Unlock()
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
		if q.Stall != nil {
			q.Stall(verb)
		}
		q.Mu.Lock()
		reply, ok := c.run(verb, args, body)
		q.Mu.Unlock()
		if !ok {
			return
		}
		if q.Tamper != nil {
			reply = q.Tamper(verb, reply)
		}
		c.w.WriteString(reply)
		if c.r.Buffered() == 0 {
			c.w.Flush()
		}
	}
}

// leave gives back what the client held.
func (c *Client) leave() {
	c.conn.Close()
	c.q.Mu.Lock()
	defer c.q.Mu.Unlock()
	delete(c.q.clients, c)
	for _, j := range c.q.Jobs {
		if j.holder == c {
			j.holder = nil
			c.q.add(j)
		}
	}
}

// add makes a job ready; each tube is in the order of (priority, id).
func (q *Queue) add(j *Job) {
	list := q.ready[j.tube]
	at := len(list)
	for at > 0 && (list[at-1].priority > j.priority || list[at-1].priority == j.priority && list[at-1].id > j.id) {
		at--
	}
	q.ready[j.tube] = slices.Insert(list, at, j)
	q.changed.Broadcast()
}

func (c *Client) run(verb, args, body string) (string, bool) {
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
		j := q.Jobs[id]
		if j == nil || j.holder != nil {
			return "NOT_FOUND\r\n", true
		}
		q.ready[j.tube] = slices.DeleteFunc(q.ready[j.tube], func(o *Job) bool { return o == j })
		return c.hold(j), true
	case "delete":
		return c.remove(id), true
	case "stats":
		return q.stats(), true
	case "bury", "kick", "pause-tube", "stats-tube", "list-tubes":
		return c.runMore(verb, args), true
	}
	return "UNKNOWN_COMMAND\r\n", true
}

func (c *Client) put(args, body string) string {
	q := c.q
	q.nextID++
	q.Total++
	q.puts[c.tube]++
	f := strings.Fields(args)
	j := &Job{id: q.nextID, tube: c.tube, body: body}
	j.priority, _ = strconv.ParseUint(f[0], 10, 64)
	q.Jobs[j.id] = j
	if delay, _ := strconv.Atoi(f[1]); delay > 0 {
		j.delayed = true
		time.AfterFunc(time.Duration(delay)*time.Second, func() {
			q.Mu.Lock()
			defer q.Mu.Unlock()
			j.delayed = false
			q.add(j)
		})
	} else {
		q.add(j)
	}
	return fmt.Sprintf("INSERTED %d\r\n", j.id)
}

func (c *Client) reserve(wait bool) (string, bool) {
	// It waits until it is answered, also while it looks again with the lock given
	// back for a moment.
	defer func() { c.waiting = false }()
	for !c.q.closing {
		var best *Job
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
		c.waiting = true
		unwatched := c.noticeEnd()
		c.q.changed.Wait()
		if unwatched(); c.gone {
			return "", false
		}
	}
	return "", false
}

func (c *Client) hold(j *Job) string {
	j.holder = c
	return fmt.Sprintf("RESERVED %d %d\r\n%s\r\n", j.id, len(j.body), j.body)
}

func (q *Queue) stats() string {
	ready, reserved := 0, 0
	for _, list := range q.ready {
		ready += len(list)
	}
	for _, j := range q.Jobs {
		if j.holder != nil {
			reserved++
		}
	}
	text := fmt.Sprintf("---\ncurrent-jobs-ready: %d\ncurrent-jobs-reserved: %d\ncurrent-jobs-delayed: 0\ncurrent-jobs-buried: 0\ntotal-jobs: %d\n",
		ready, reserved, q.Total)
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(text), text)
}
