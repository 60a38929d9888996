//go:build linux

package load

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"beanfield/tools/bench/socket"
)

// A committer is the HTTP connection on which a consumer commits its items. It has at most
// one request outstanding.
type committer struct {
	loop    *loop
	wire    *socket.Conn
	ids     []uint64 // to be committed
	sent    int      // of those, in the request that is outstanding
	request []byte

	before, after string // of a request: what comes before the ids, and after them
}

func newCommitter(l *loop, user int) *committer {
	c := &committer{loop: l}
	c.before, c.after, _ = strings.Cut(socket.Request("PUT", tube(loadPrefix, 0), "_indexes_=*", UserName(user), group), "*")
	c.after += "Content-Length: 0\r\n\r\n"
	return c
}

// goOn commits items when there are enough, or, at the end, what there is.
func (c *committer) goOn() error {
	n := min(len(c.ids), c.loop.run.load.Commit)
	if c.sent > 0 || n == 0 || n < c.loop.run.load.Commit && !c.loop.stopping {
		return nil
	}
	c.sent = n
	c.request = append(c.request[:0], c.before...)
	for i, id := range c.ids[:n] {
		if i > 0 {
			c.request = append(c.request, "%2C"...) // as all clients escape it
		}
		c.request = strconv.AppendUint(c.request, id, 10)
	}
	c.request = append(c.request, c.after...)
	return c.wire.Send(c.request)
}

var (
	headEnd = []byte("\r\n\r\n")
	good    = []byte("HTTP/1.1 200 ")
	short   = []byte("\r\nContent-Length: 2\r\n")
)

// Take takes the answer to a commit: OK.
func (c *committer) Take(b []byte) (int, error) {
	head := bytes.Index(b, headEnd)
	if head < 0 || len(b) < head+len(headEnd)+2 {
		return 0, nil
	}
	if !bytes.HasPrefix(b, good) || !bytes.Contains(b[:head+2], short) || c.sent == 0 {
		return 0, fmt.Errorf("a commit of %d items was answered %.200q", c.sent, b)
	}
	c.loop.ended(int64(c.sent))
	c.ids = c.ids[:copy(c.ids, c.ids[c.sent:])]
	c.sent = 0
	return head + len(headEnd) + 2, c.goOn()
}
