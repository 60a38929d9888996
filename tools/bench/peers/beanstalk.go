//go:build linux

package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/server"
)

const tube = "bench"

// beanstalks are beanfield and beanstalkd.
func beanstalks(beanfield, beanstalkd string) (all []Peer) {
	for _, durable := range []bool{false, true} {
		flags := " -l 127.0.0.1 -p {port}"
		if durable {
			flags += " -b {dir} -f 0"
		}
		ours := Peer{Name: "beanfield", Durable: durable, dial: dialBeanstalk, consume: watch,
			launch: server.Launch{Command: beanfield + flags + " -queue 127.0.0.1:{queue}"}}
		ours.Settings = "`beanfield" + flags + " -queue 127.0.0.1:{queue}`; pushes over WebSocket, commits over HTTP"
		theirs := Peer{Name: "beanstalkd", Durable: durable, dial: dialBeanstalk,
			launch: server.Launch{Command: beanstalkd + flags}, Settings: "`beanstalkd" + flags + "`"}
		all = append(all, ours, theirs)
	}
	return all
}

// A beanstalk is a client of beanstalkd's protocol.
type beanstalk struct {
	*wire
	ids []uint64
}

func dialBeanstalk(s *server.Launched, _ int) (client, error) {
	w, err := open(s.Addr)
	if err != nil {
		return nil, err
	}
	b := &beanstalk{wire: w}
	w.printf("use %s\r\nwatch %s\r\nignore default\r\n", tube, tube)
	if err = w.flush(); err == nil {
		for _, word := range []string{"USING", "WATCHING", "WATCHING"} {
			if _, err = w.expect(word); err != nil {
				break
			}
		}
	}
	return b, err
}

func (b *beanstalk) put(bodies [][]byte) error { return b.delay(bodies, 0) }

func (b *beanstalk) delay(bodies [][]byte, by time.Duration) error {
	for _, body := range bodies {
		b.printf("put 1024 %d 600 %d\r\n", int(by.Seconds()), len(body))
		b.out = append(append(b.out, body...), "\r\n"...)
	}
	return b.answers("INSERTED", len(bodies))
}

// answers sends what was written, and wants so many answers.
func (b *beanstalk) answers(word string, n int) error {
	err := b.flush()
	for i := 0; err == nil && i < n; i++ {
		_, err = b.expect(word)
	}
	return err
}

func (b *beanstalk) take(n int) (bodies [][]byte, err error) {
	for range n {
		b.out = append(b.out, "reserve\r\n"...)
	}
	err = b.flush()
	for i := 0; err == nil && i < n; i++ {
		var line, body []byte
		if line, err = b.expect("RESERVED "); err != nil {
			break
		}
		var id uint64
		head, size, _ := bytes.Cut(line[len("RESERVED "):], []byte(" "))
		if id, err = strconv.ParseUint(string(head), 10, 64); err != nil {
			break
		}
		var length int
		if length, err = strconv.Atoi(string(size)); err == nil {
			body, err = b.body(length)
			b.ids, bodies = append(b.ids, id), append(bodies, body)
		}
	}
	return bodies, err
}

func (b *beanstalk) done() error {
	n := len(b.ids)
	for _, id := range b.ids {
		b.printf("delete %d\r\n", id)
	}
	b.ids = b.ids[:0]
	return b.answers("DELETED", n)
}

func (b *beanstalk) count() (n int, err error) {
	b.printf("stats-tube %s\r\n", tube)
	if err = b.flush(); err != nil {
		return 0, err
	}
	line, err := b.line()
	if err != nil || bytes.HasPrefix(line, []byte("NOT_FOUND")) {
		return 0, err
	}
	size, err := last(line)
	if err != nil {
		return 0, err
	}
	text, err := b.body(size)
	for line := range strings.Lines(string(text)) {
		for _, key := range []string{"current-jobs-ready: ", "current-jobs-reserved: ", "current-jobs-delayed: "} {
			if value, ok := strings.CutPrefix(line, key); ok {
				k, _ := strconv.Atoi(strings.TrimSpace(value))
				n += k
			}
		}
	}
	return n, err
}

// A watcher is a consumer of the queue service, with a second connection on which it commits.
type watcher struct {
	*wire
	ids    []string
	commit *socket.Requester
	http   net.Conn
	user   string
}

func watch(s *server.Launched, worker, window int) (client, error) {
	w, err := open(s.Queue)
	if err != nil {
		return nil, err
	}
	c := &watcher{wire: w, user: fmt.Sprintf("u%d", worker)}
	w.out = append(w.out, socket.WatchRequest(tube, fmt.Sprintf("_window_=%d", window), c.user, "bench")...)
	if err = w.flush(); err == nil {
		_, err = w.expect("HTTP/1.1 101 ")
	}
	for err == nil {
		var line []byte
		if line, err = w.line(); len(line) == 0 {
			break
		}
	}
	if err == nil {
		c.http, err = net.Dial("tcp", s.Queue)
		c.commit = socket.NewRequester(c.http, 4096)
	}
	return c, err
}

func (c *watcher) put([][]byte) error { return errUnable }

// take reads a frame, and those that have arrived with it.
func (c *watcher) take(n int) (bodies [][]byte, err error) {
	for len(bodies) < n && (len(bodies) == 0 || c.in.Buffered() > 0) {
		kind, payload, err := c.frame()
		if err != nil {
			return bodies, err
		}
		if kind != load.FrameBinary {
			continue // a ping: this consumer is there for less time than a pong may take
		}
		id, body, err := item(payload)
		if err != nil {
			return bodies, err
		}
		c.ids, bodies = append(c.ids, id), append(bodies, body)
	}
	return bodies, nil
}

// frame waits for a whole one.
func (c *watcher) frame() (kind byte, payload []byte, err error) {
	for {
		b, err := c.in.Peek(c.in.Buffered())
		if err != nil {
			return 0, nil, err
		}
		if kind, payload, n := load.Frame(b); n > 0 {
			payload = bytes.Clone(payload)
			_, err = c.in.Discard(n)
			return kind, payload, err
		}
		if _, err = c.in.Peek(len(b) + 1); err != nil {
			return 0, nil, err
		}
	}
}

// item is the index and the body of an item, as protobuf: field 1 first, the body last.
func item(p []byte) (id string, body []byte, err error) {
	if len(p) < 2+bodySize || p[0] != 1<<3 {
		return "", nil, fmt.Errorf("an item without an index: %.80q", p)
	}
	v, _ := binary.Uvarint(p[1:])
	return strconv.FormatUint(v, 10), p[len(p)-bodySize:], nil
}

func (c *watcher) done() error {
	if len(c.ids) == 0 {
		return nil
	}
	request := socket.Request("PUT", tube, "_indexes_="+strings.Join(c.ids, "%2C"), c.user, "bench") +
		"Content-Length: 0\r\n\r\n"
	c.ids = c.ids[:0]
	if err := c.commit.Fetch(request, "HTTP/1.1 200 "); err != nil {
		return err
	}
	return c.commit.Skip(len("OK"))
}

func (c *watcher) count() (int, error) { return 0, errUnable }

func (c *watcher) close() {
	c.wire.close()
	c.http.Close()
}
