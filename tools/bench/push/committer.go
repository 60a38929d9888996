package push

import (
	"bytes"
	"fmt"
	"strconv"
)

// A committer is the HTTP connection on which a consumer commits its items. It has at most
// one request outstanding.
type committer struct {
	run     *run
	wire    *wire
	user    int
	ids     []uint64 // to be committed
	sent    int      // of those, in the request that is outstanding
	request []byte
}

// goOn commits items when there are enough, or, at the end, what there is.
func (c *committer) goOn() error {
	n := min(len(c.ids), c.run.load.Commit)
	if c.sent > 0 || n == 0 || n < c.run.load.Commit && !c.run.stopping {
		return nil
	}
	c.sent = n
	c.request = append(c.request[:0], "PUT /api/predict/"+tube+"?_indexes_="...)
	for i, id := range c.ids[:n] {
		if i > 0 {
			c.request = append(c.request, "%2C"...) // as all clients escape it
		}
		c.request = strconv.AppendUint(c.request, id, 10)
	}
	c.request = append(c.request, " HTTP/1.1\r\nContent-Length: 0\r\n"...)
	c.request = append(append(c.request, identity(c.user)...), "\r\n"...)
	return c.wire.send(c.request)
}

var (
	headEnd = []byte("\r\n\r\n")
	good    = []byte("HTTP/1.1 200 ")
	short   = []byte("\r\nContent-Length: 2\r\n")
)

// take reads the answer: OK.
func (c *committer) take(b []byte) (int, error) {
	head := bytes.Index(b, headEnd)
	if head < 0 || len(b) < head+len(headEnd)+2 {
		return 0, nil
	}
	if !bytes.HasPrefix(b, good) || !bytes.Contains(b[:head+2], short) || c.sent == 0 {
		return 0, fmt.Errorf("a commit of %d items was answered %.200q", c.sent, b)
	}
	c.run.done += uint64(c.sent)
	c.ids = c.ids[:copy(c.ids, c.ids[c.sent:])]
	c.sent = 0
	return head + len(headEnd) + 2, c.goOn()
}
