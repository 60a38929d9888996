package queueservice

import (
	"encoding/binary"
	"errors"
	"io"

	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// framing is how items are separated on a connection.
type framing uint8

const (
	framedBinary framing = iota // a binary WebSocket frame each
	framedText                  // a text frame each, in JSON
	framedLength                // four bytes of length each
)

// writer turns delivery batches into frames. It belongs to one goroutine, the only one that
// writes to the connection (QS5).
type writer struct {
	party
	box       *outbox
	to        io.Writer
	flushed   func() error // sends what has been written; nil if that leaves anyway
	framing   framing
	indexOnly bool

	buffer *[]byte
	last   load
	sent   []*queue.DeliveryBatch // written, and not reported yet; only with a limit
	weight int                    // of sent
}

// errReplaced ends all that the writer does, except for the close frame.
var errReplaced = errors.New("queueservice: another connection has taken over")

// run writes all that the outbox gets until that is over, and then the end.
func (w *writer) run() error {
	defer w.rest()
	for {
		l, some := w.box.take(w.last)
		if w.last = l; !some {
			w.rest()
			<-w.box.wake
			continue
		}
		err := w.write(l)
		if err != nil && err != errReplaced {
			return err
		}
		if l.over || err == errReplaced {
			return w.writeEnd()
		}
	}
}

// rest gives back the buffer.
func (w *writer) rest() {
	if w.buffer == nil {
		return
	}
	if cap(*w.buffer) <= mostBuffer {
		*w.buffer = (*w.buffer)[:0]
		buffers.Put(w.buffer)
	}
	w.buffer = nil
}

// write writes a load: with one system call, unless it is large. A delivery batch is reported as
// sent only when all of it has been written (QS1).
func (w *writer) write(l load) error {
	if w.buffer == nil {
		w.buffer = buffers.Get().(*[]byte)
	}
	if len(l.rest) > 0 { // even if another connection has taken over: a frame must be whole
		if _, err := w.to.Write(l.rest); err != nil {
			return err
		}
	}
	b := append((*w.buffer)[:0], l.control...)
	encoded := 0 // how many delivery batches have been reported
	for i, p := range l.deliveries {
		var err error
		for j := range p.Items {
			if b, err = w.item(b, p, j); err != nil {
				return err
			}
		}
		if p.Over && w.framing == framedText {
			b = append(appendDataHeader(b, ws.OpText, len(messageEnded)), messageEnded...)
		}
		if len(b) >= fullBuffer || i == len(l.deliveries)-1 {
			if b, err = w.flush(b); err != nil {
				return err
			}
			w.report(l.deliveries[encoded : i+1])
			encoded = i + 1
		}
	}
	b, err := w.flush(b)
	*w.buffer = b
	if err == nil && w.flushed != nil {
		err = w.flushed()
	}
	return err
}

// item appends an item's frame. It writes what has gathered when that is much, or when a
// large body follows, which is then written from where it is.
func (w *writer) item(b []byte, p *queue.DeliveryBatch, i int) (_ []byte, err error) {
	it := &p.Items[i]
	switch {
	case len(it.Large) > 0 && it.Size > largeBody && !w.indexOnly && w.framing != framedText:
		b, err = w.flush(w.head(b, p, i))
		for _, part := range it.Large {
			if err == nil {
				_, err = w.to.Write(part)
			}
		}
	default:
		b = w.frame(b, p, i)
	}
	if err == nil && len(b) >= fullBuffer {
		b, err = w.flush(b)
	}
	return b, err
}

// frame appends a whole frame.
func (w *writer) frame(b []byte, p *queue.DeliveryBatch, i int) []byte {
	if w.framing == framedText {
		return appendTextFrame(b, p, i, !w.indexOnly)
	}
	if b = w.head(b, p, i); !w.indexOnly {
		b = appendBody(b, p, i)
	}
	return b
}

// head appends a frame up to the item's body.
func (w *writer) head(b []byte, p *queue.DeliveryBatch, i int) []byte {
	size := sizeFrame(p, i, !w.indexOnly)
	if w.framing == framedLength {
		b = binary.BigEndian.AppendUint32(b, uint32(size))
	} else {
		b = appendDataHeader(b, ws.OpBinary, size)
	}
	return appendFrameHead(b, p, i, !w.indexOnly)
}

// appendTextFrame appends an item of the JSON subprotocol. Its length is known only
// afterwards.
func appendTextFrame(b []byte, p *queue.DeliveryBatch, i int, withData bool) []byte {
	from := len(b)
	b = appendItemJSON(append(b, make([]byte, ws.MaxHeaderSize)...), p, i, withData)
	text := b[from+ws.MaxHeaderSize:]
	b = appendDataHeader(b[:from], ws.OpText, len(text))
	return append(b, text...)
}

// flush writes b, unless another connection has taken over: then nothing but the end
// is written (QS2).
func (w *writer) flush(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return b, nil
	}
	if w.box.replaced() {
		return b[:0], errReplaced
	}
	_, err := w.to.Write(b)
	return b[:0], err
}

// mostUnreported is how much delivery batches that have been sent may weigh, before the writer
// tells the shard and gives them back: a few dozen small items.
const mostUnreported = 4 << 10

// report counts delivery batches that have been written. The shard is told when they weigh
// mostUnreported, or a quarter of what may be unsent if that is less, so that the shard
// can always push more.
func (w *writer) report(deliveries []*queue.DeliveryBatch) {
	most := w.limits.MaxUnsent
	if most <= 0 {
		return
	}
	for _, p := range deliveries {
		w.weight += p.Weight()
	}
	w.sent = append(w.sent, deliveries...)
	if w.weight < min((most+3)/4, mostUnreported) || w.box.replaced() {
		return
	}
	op := w.op(queue.AskSent)
	op.Ask.Receiver, op.Ask.Bytes, op.Ask.Spent = w.box, w.weight, w.sent
	w.server.shards.Ask(op)
	clear(w.sent)
	w.sent, w.weight = w.sent[:0], 0
}

// writeEnd writes why the watch is over.
func (w *writer) writeEnd() error {
	if w.framing == framedLength {
		return nil
	}
	code, reason := w.box.end()
	_, err := w.to.Write(ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, reason))))
	return err
}
