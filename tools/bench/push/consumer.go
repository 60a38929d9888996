package push

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"beanfield/tools/bench/socket"
)

// A consumer is pushed items, in frames as protobuf.
type consumer struct {
	run       *run
	wire      *wire
	committer *committer // nil with auto-commit
}

// What a consumer's frames begin with.
const (
	frameBinary = 0x82
	framePing   = 0x89
	framePong   = 0x8a
)

// take reads whole frames.
func (c *consumer) take(b []byte) (used int, err error) {
	for {
		kind, payload, n := frame(b[used:])
		if n == 0 {
			break
		}
		switch used += n; kind {
		case frameBinary:
			if err = c.item(payload); err != nil {
				return used, err
			}
		case framePing: // a pong is masked, here with zeros
			pong := append([]byte{framePong, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
			if err = c.wire.send(pong); err != nil {
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

// frame cuts off the first frame. n is its length, 0 if it is not whole.
func frame(b []byte) (kind byte, payload []byte, n int) {
	if len(b) < 2 {
		return 0, nil, 0
	}
	size, head := int(b[1]), 2
	if size == 126 && len(b) >= 4 {
		size, head = int(binary.BigEndian.Uint16(b[2:])), 4
	} else if size == 126 {
		return 0, nil, 0
	}
	if size == 127 && len(b) >= 10 {
		size, head = int(binary.BigEndian.Uint64(b[2:])), 10
	} else if size == 127 {
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
	id, n := binary.Uvarint(p[1:])
	if n <= 0 || !bytes.HasSuffix(p, c.run.body) {
		return fmt.Errorf("an item with another body: %.80q", p)
	}
	if !c.run.ledger.Mark(id) {
		return fmt.Errorf("item %d came twice", id)
	}
	if c.run.came++; c.committer == nil {
		c.run.done++
		return nil
	}
	c.committer.ids = append(c.committer.ids, id)
	return nil
}

// The names of the load in the queue service.
const (
	tube  = "bench-push"
	group = "bench"
)

func identity(user int) string {
	return fmt.Sprintf("Host: localhost\r\nX-EAS-QueueService-Uid: u%d\r\nX-EAS-QueueService-Gid: %s\r\n", user, group)
}

// watch makes a connection a consumer: the handshake on a socket that blocks.
func watch(addr, queue string, user, window int) (int, error) {
	fd, err := socket.Dial(addr)
	if err != nil {
		return -1, err
	}
	how := "_auto_commit_=true"
	if window > 0 {
		how = fmt.Sprintf("_window_=%d", window)
	}
	err = write(fd, fmt.Sprintf("GET /api/predict/%s?_watch_=true&_index_=0&%s HTTP/1.1\r\n%s"+
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", queue, how, identity(user)))
	if err == nil {
		err = answered(fd, "HTTP/1.1 101 ")
	}
	if err != nil {
		syscall.Close(fd)
	}
	return fd, err
}

func write(fd int, text string) error {
	return socket.Uninterrupted(func() error {
		_, err := syscall.Write(fd, []byte(text))
		return err
	})
}

// answered reads the head of an answer from a socket that blocks, and nothing beyond it.
func answered(fd int, first string) error {
	var head []byte
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
		var n int
		err := socket.Uninterrupted(func() (err error) {
			n, err = syscall.Read(fd, one)
			return err
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the server closed a connection during the handshake")
		}
		if head = append(head, one...); len(head) > 8<<10 {
			break
		}
	}
	if !bytes.HasPrefix(head, []byte(first)) {
		return fmt.Errorf("answered %.200q, want %q", head, first)
	}
	return nil
}
