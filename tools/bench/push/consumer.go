package push

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"beanfield/tools/bench/socket"
)

// A consumer is pushed items, in frames as protobuf.
type consumer struct {
	run       *run
	wire      *socket.Conn
	committer *committer // nil with auto-commit
}

// What a consumer's frames begin with.
const (
	frameBinary = 0x82
	framePing   = 0x89
	framePong   = 0x8a
)

// take reads whole frames.
func (c *consumer) Take(b []byte) (used int, err error) {
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
