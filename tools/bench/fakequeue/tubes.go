package fakequeue

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What the fake queue needs for disturbances.

func (c *Client) runMore(verb, args string) string {
	q := c.q
	name, rest, _ := strings.Cut(args, " ")
	id, _ := strconv.ParseUint(name, 10, 64)
	switch verb {
	case "list-tubes":
		return q.listTubes()
	case "bury":
		j := q.Jobs[id]
		if j == nil || j.holder != c {
			return "NOT_FOUND\r\n"
		}
		j.holder, j.buried = nil, true
		return "BURIED\r\n"
	case "kick":
		return c.kick(int(id))
	case "pause-tube":
		seconds, _ := strconv.Atoi(rest)
		q.paused[name] = true
		time.AfterFunc(time.Duration(seconds)*time.Second, func() {
			q.Mu.Lock()
			defer q.Mu.Unlock()
			delete(q.paused, name)
			q.changed.Broadcast()
		})
		return "PAUSED\r\n"
	}
	return q.statsTube(name)
}

// listTubes has the tubes that somebody watches.
func (q *Queue) listTubes() string {
	text := "---\n"
	known := map[string]bool{}
	for c := range q.clients {
		for _, tube := range c.watch {
			if !known[tube] {
				known[tube] = true
				text += "- " + tube + "\n"
			}
		}
	}
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(text), text)
}

// noticeEnd watches the connection of a client that waits, until stop is called. Both
// are called with the lock.
func (c *Client) noticeEnd() (stop func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := c.r.Peek(1); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		c.q.Mu.Lock()
		defer c.q.Mu.Unlock()
		c.gone = true
		c.q.changed.Broadcast()
	}()
	return func() {
		c.conn.SetReadDeadline(time.Unix(1, 0))
		c.q.Mu.Unlock()
		<-ended
		c.q.Mu.Lock()
		c.conn.SetReadDeadline(time.Time{})
	}
}

// clientsOf counts who watches a tube, and who waits for its jobs.
func (q *Queue) clientsOf(tube string) (watching, waiting int) {
	for c := range q.clients {
		if slices.Contains(c.watch, tube) {
			watching++
			if c.waiting {
				waiting++
			}
		}
	}
	return watching, waiting
}

func (c *Client) kick(most int) string {
	n := 0
	for _, j := range c.q.Jobs {
		if j.buried && j.tube == c.tube && n < most {
			j.buried = false
			c.q.add(j)
			n++
		}
	}
	return fmt.Sprintf("KICKED %d\r\n", n)
}

// remove deletes a job that is ready, buried, or reserved by this client.
func (c *Client) remove(id uint64) string {
	j := c.q.Jobs[id]
	if j == nil || j.holder != nil && j.holder != c {
		return "NOT_FOUND\r\n"
	}
	c.q.ready[j.tube] = slices.DeleteFunc(c.q.ready[j.tube], func(o *Job) bool { return o == j })
	delete(c.q.Jobs, id)
	return "DELETED\r\n"
}

func (q *Queue) statsTube(tube string) string {
	count := map[string]int{}
	for _, j := range q.Jobs {
		switch {
		case j.tube != tube:
		case j.holder != nil:
			count["reserved"]++
		case j.buried:
			count["buried"]++
		case j.delayed:
			count["delayed"]++
		default:
			count["ready"]++
		}
	}
	text := fmt.Sprintf("---\nname: %s\ntotal-jobs: %d\n", tube, q.puts[tube])
	for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
		text += fmt.Sprintf("current-jobs-%s: %d\n", state, count[state])
	}
	watching, waiting := q.clientsOf(tube)
	text += fmt.Sprintf("current-watching: %d\ncurrent-waiting: %d\n", watching, waiting)
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(text), text)
}
