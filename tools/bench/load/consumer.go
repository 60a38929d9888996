//go:build linux

package load

import (
	"encoding/binary"
	"fmt"
	"net"

	"beanfield/tools/bench/socket"
)

// A consumer of the queue service is pushed items, in frames as protobuf. It commits them over HTTP unless it has
// auto-commit.
type consumer struct {
	loop      *loop
	wire      *socket.Conn
	committer *committer // nil with auto-commit
}

// What a consumer's frames begin with.
const (
	FrameBinary = 0x82
	framePing   = 0x89
	framePong   = 0x8a
)

// group is that of all consumers.
const group = "bench"

// Watch connects a consumer of the tube that a load of one tube uses.
func (t *Target) Watch(user int, how string) (net.Conn, error) {
	c, err := net.Dial("tcp", t.Queue)
	if err != nil {
		return nil, err
	}
	v := socket.NewRequester(c, headPiece)
	if err := v.Fetch(socket.WatchRequest(tube(loadPrefix, 0), how, UserName(user), group),
		"HTTP/1.1 101 "); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// headPiece is more than any line of a head has.
const headPiece = 512

// UserName is the name of a user of the queue service.
func UserName(user int) string { return fmt.Sprintf("u%d", user) }

func (r *run) addConsumer(user int) error {
	how := "_auto_commit_=true"
	if r.load.Window > 0 {
		how = fmt.Sprintf("_window_=%d", r.load.Window)
	}
	conn, err := r.target.Watch(user, how)
	if err != nil {
		return err
	}
	c := &consumer{loop: r.loop}
	if c.wire, err = r.loop.add(conn, c); err != nil || r.load.Window == 0 {
		return err
	}
	if conn, err = net.Dial("tcp", r.target.Queue); err != nil {
		return err
	}
	c.committer = newCommitter(r.loop, user)
	r.loop.committers = append(r.loop.committers, c.committer)
	c.committer.wire, err = r.loop.add(conn, c.committer)
	return err
}

// add has the loop drive a connection without TLS.
func (l *loop) add(conn net.Conn, party socket.Party) (*socket.Conn, error) {
	fd, err := socket.Raw(conn)
	if err != nil {
		return nil, err
	}
	return l.wires.Add(fd, nil, party)
}

// Take takes whole frames.
func (c *consumer) Take(b []byte) (used int, err error) {
	for {
		kind, payload, n := Frame(b[used:])
		if n == 0 {
			break
		}
		switch used += n; kind {
		case FrameBinary:
			if err = c.item(payload); err != nil {
				return used, err
			}
		case framePing: // a pong is masked, here with zeros
			pong := append([]byte{framePong, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
			if err = c.wire.Send(pong); err != nil {
				return used, err
			}
		default:
			return used, fmt.Errorf("a consumer was sent a frame that begins %#x: %.80q", kind, payload)
		}
	}
	if c.committer != nil {
		return used, c.committer.goOn()
	}
	return used, nil
}

// Frame cuts off the first frame. n is its length, 0 if it is not whole.
func Frame(b []byte) (kind byte, payload []byte, n int) {
	if len(b) < 2 {
		return 0, nil, 0
	}
	size, head := int(b[1]), 2
	switch {
	case size == 126 && len(b) >= 4:
		size, head = int(binary.BigEndian.Uint16(b[2:])), 4
	case size == 127 && len(b) >= 10:
		size, head = int(binary.BigEndian.Uint64(b[2:])), 10
	case size >= 126:
		return 0, nil, 0
	}
	if len(b) < head+size {
		return 0, nil, 0
	}
	return b[0], b[head : head+size], head + size
}

// item checks an item: it is one that was put, and it has not come before.
func (c *consumer) item(p []byte) error {
	if len(p) == 0 || p[0] != 1<<3 { // field 1, the index
		return fmt.Errorf("an item without an index: %.80q", p)
	}
	l := c.loop
	id, n := binary.Uvarint(p[1:])
	if n <= 0 {
		return fmt.Errorf("an item with half an index: %.80q", p)
	}
	if err := l.came(id, p[max(0, len(p)-len(l.run.payload.Body)):], l.run.now()); err != nil {
		return err
	}
	if c.committer == nil {
		l.ended(1)
		return nil
	}
	c.committer.ids = append(c.committer.ids, id)
	return nil
}

// ended counts jobs that were pushed and committed.
func (l *loop) ended(n int64) {
	l.run.inFlight -= n
	l.tally.deleted += n
	if l.measuring {
		l.tally.ops += uint64(n)
	}
}
