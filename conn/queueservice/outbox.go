package queueservice

import (
	"sync"

	"beanfield/shard/queue"
	"beanfield/storage/pace"

	"github.com/gobwas/ws"
)

// Codes of close frames: why the server ends a watch. Applications may use those from
// 4000 on.
const (
	closeGoing    = ws.StatusGoingAway
	closeFailed   = ws.StatusInternalServerError
	closeEnded    = ws.StatusNormalClosure
	closeReplaced = ws.StatusCode(4001)
	closeRemoved  = ws.StatusCode(4002)
)

// reasonEnded is what a consumer is told when its queue has ended and nothing is left for it.
const reasonEnded = "the queue has ended"

// mostControl bounds what waits to be sent to a client besides items: pings, and answers
// to its pings and messages.
const mostControl = 16 << 10

// outbox holds what a consumer is to be sent. Any goroutine fills it; the consumer's
// writer empties it.
type outbox struct {
	wake chan struct{} // has room for one token

	mu         sync.Mutex
	asleep     bool                   // the writer waits for a token
	deliveries []*queue.DeliveryBatch // in the order of their turns
	spare      []*queue.DeliveryBatch // the writer's last list, to be used again
	control    []byte                 // frames
	code       ws.StatusCode          // why it ends
	reason     string
	over       bool // nothing more is put in; what is there is the last
	stays      bool // the end of the queue does not end the watch

	direct *direct // writes pings and pongs while the writer sleeps; nil if there is none
	rest   []byte  // of a frame that was begun without the writer
}

// load is all that the writer takes out at one time.
type load struct {
	rest       []byte
	deliveries []*queue.DeliveryBatch
	control    []byte
	over       bool // this is the last
}

func (o *outbox) init() { o.wake = make(chan struct{}, 1) }

// Receive implements queue.Receiver.
func (o *outbox) Receive(p *queue.DeliveryBatch, ok bool) {
	if !ok {
		o.finish(closeFailed, "the log has failed")
		return
	}
	o.mu.Lock()
	if !o.over {
		o.deliveries = append(o.deliveries, p)
		if p.Over && !o.stays {
			o.over, o.code, o.reason = true, closeEnded, reasonEnded
		}
	}
	o.stir()
}

// Replaced implements queue.Receiver. What has not been sent is dropped, because another
// connection is sent it (QS2).
func (o *outbox) Replaced() {
	o.stop(closeReplaced, "another connection of this consumer has taken over")
}

// Removed implements queue.Receiver. What has not been sent is dropped, because the group
// has nothing pending any more (QS2).
func (o *outbox) Removed() { o.stop(closeRemoved, "the consumer's group was removed") }

// finish ends the watch as soon as all that is in the outbox has been sent.
func (o *outbox) finish(code ws.StatusCode, reason string) {
	o.mu.Lock()
	if !o.over {
		o.over, o.code, o.reason = true, code, reason
	}
	o.stir()
}

// stop ends the watch at once, and drops what has not been sent.
func (o *outbox) stop(code ws.StatusCode, reason string) {
	o.mu.Lock()
	if !o.over {
		o.over, o.code, o.reason = true, code, reason
	}
	clear(o.deliveries)
	o.deliveries, o.control = o.deliveries[:0], nil
	o.stir()
}

// say adds a control frame or a message. It reports false if there is no room, because
// the client does not read.
func (o *outbox) say(op ws.OpCode, payload []byte) bool {
	o.mu.Lock()
	room := len(o.control)+len(payload) <= mostControl
	switch {
	case o.over || !room:
	case o.asleep && o.direct != nil:
		o.sayDirectly(op, payload)
		return true
	default:
		o.control = append(appendDataHeader(o.control, op, len(payload)), payload...)
	}
	o.stir()
	return room
}

// stir wakes the writer if it sleeps, and unlocks.
func (o *outbox) stir() {
	wake := o.asleep
	o.asleep = false
	o.mu.Unlock()
	if wake {
		select {
		case o.wake <- struct{}{}:
			pace.Woke()
		default:
		}
	}
}

// take takes out everything. If there is nothing, it reports false, and the writer is
// sent a token as soon as there is something. last is the previous load: its memory is
// used again.
func (o *outbox) take(last load) (l load, some bool) {
	clear(last.deliveries)
	o.mu.Lock()
	defer o.mu.Unlock()
	if last.deliveries != nil {
		o.spare = last.deliveries[:0]
	}
	if o.idle() {
		o.asleep = true
		return load{}, false
	}
	l = load{o.rest, o.deliveries, o.control, o.over}
	o.rest = nil
	o.deliveries, o.spare, o.control = o.spare, nil, nil
	return l, true
}

// end tells why the watch is over.
func (o *outbox) end() (ws.StatusCode, string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.code, o.reason
}

// replaced says whether another connection has taken over, the group was removed, or the
// client may not reserve any more, so that what the writer has taken must not be written any more.
func (o *outbox) replaced() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over && (o.code == closeReplaced || o.code == closeRemoved || o.code == closeForbidden)
}

// closeForbidden ends a watch whose client may not reserve any more.
const closeForbidden = ws.StatusPolicyViolation

// Buffers of writers. A writer has one only while there is something to write. A body
// that is longer than largeBody is written without being copied.
const (
	writeBuffer = 32 << 10
	fullBuffer  = 64 << 10
	mostBuffer  = 160 << 10 // a longer one is not used again
	largeBody   = 32 << 10
)

var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, writeBuffer)) }}
