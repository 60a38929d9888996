package fakequeue

import (
	"fmt"
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
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(text), text)
}
