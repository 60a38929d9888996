package turns

import (
	"encoding/binary"
	"errors"
)

// Kind says what an operation does.
type Kind byte

// The operations of turns.
const (
	Put       Kind = iota + 1 // a new job; the value is its record
	Update                    // the job's newest state, in place of the one before
	Delete                    // the end of a job
	SetQueue                  // what a queue is like, in place of what it was
	DropQueue                 // the end of what is known of a queue
	Raise                     // no id up to this one is given again
	Piece                     // a part of a body that is kept apart from its job's record
	Members                   // what a cluster has decided about its nodes, in place of what it had
)

// Op is one operation. Turns are operations, one directly behind the other.
type Op struct {
	Kind    Kind
	Updated bool   // Delete: the job has an update too
	Large   bool   // Delete: the job's body is kept apart from its record
	ID      uint64 // of the job; of Raise, the id
	N       uint64 // Piece: which part it is
	Name    []byte // of the queue
	Value   []byte // of Put, Update, SetQueue and Members: whatever the store keeps
}

// An operation is a byte with its kind and flags; the id, or the name with its length
// before it; and the value with its length before it. There is one way to write each: a number
// takes no more bytes than it needs. No job has the id 0.
const (
	kindBits    = 0x0f
	updatedFlag = 0x40
	largeFlag   = 0x80
)

// ErrOp says that these bytes are no operation.
var ErrOp = errors.New("turns: no operation")

// AppendJob appends the beginning of a Put or an Update. The caller appends the n bytes of
// the value.
func AppendJob(dst []byte, k Kind, id uint64, n int) []byte {
	dst = binary.AppendUvarint(append(dst, byte(k)), id)
	return binary.AppendUvarint(dst, uint64(n))
}

// AppendDelete appends the end of a job.
func AppendDelete(dst []byte, id uint64, updated, large bool) []byte {
	head := byte(Delete)
	if updated {
		head |= updatedFlag
	}
	if large {
		head |= largeFlag
	}
	return binary.AppendUvarint(append(dst, head), id)
}

// AppendRaise appends that no id up to this one is given again.
func AppendRaise(dst []byte, id uint64) []byte {
	return binary.AppendUvarint(append(dst, byte(Raise)), id)
}

// AppendPiece appends a part of a body. The logs of one machine have none: there these bodies
// are written beside the log.
func AppendPiece(dst []byte, id, n uint64, value []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(Piece)), id)
	return appendText(binary.AppendUvarint(dst, n), value)
}

// AppendSetQueue appends what a queue is like.
func AppendSetQueue(dst []byte, name string, value []byte) []byte {
	return appendText(appendText(append(dst, byte(SetQueue)), name), value)
}

// AppendMembers appends what a cluster has decided about its nodes. The logs of one machine have none of it.
func AppendMembers(dst, value []byte) []byte {
	return appendText(append(dst, byte(Members)), value)
}

// AppendDropQueue appends the end of a queue.
func AppendDropQueue(dst []byte, name string) []byte {
	return appendText(append(dst, byte(DropQueue)), name)
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// NextOp reads the operation at the beginning of b, and returns how long it is. Its slices
// are parts of b.
func NextOp(b []byte) (op Op, n int, err error) {
	if len(b) == 0 {
		return op, 0, ErrOp
	}
	head := b[0]
	op.Kind = Kind(head & kindBits)
	n, ok := 1, true
	switch op.Kind {
	case Put, Update:
		if op.ID, n, ok = job(b, n); ok {
			op.Value, n, ok = text(b, n)
		}
	case Delete:
		op.Updated, op.Large = head&updatedFlag != 0, head&largeFlag != 0
		op.ID, n, ok = job(b, n)
		head &^= updatedFlag | largeFlag
	case Raise:
		op.ID, n, ok = number(b, n)
	case Piece:
		if op.ID, n, ok = job(b, n); ok {
			op.N, n, ok = number(b, n)
		}
		if ok {
			op.Value, n, ok = text(b, n)
		}
	case SetQueue:
		if op.Name, n, ok = text(b, n); ok {
			op.Value, n, ok = text(b, n)
		}
	case DropQueue:
		op.Name, n, ok = text(b, n)
	case Members:
		op.Value, n, ok = text(b, n)
	default:
		ok = false
	}
	if !ok || head != byte(op.Kind) {
		return Op{}, 0, ErrOp
	}
	return op, n, nil
}

func job(b []byte, at int) (id uint64, end int, ok bool) {
	id, end, ok = number(b, at)
	return id, end, ok && id != 0
}

func number(b []byte, at int) (v uint64, end int, ok bool) {
	v, n := binary.Uvarint(b[at:])
	return v, at + n, n == 1 || n > 1 && b[at+n-1] != 0
}

func text(b []byte, at int) (t []byte, end int, ok bool) {
	size, at, ok := number(b, at)
	if !ok || size > uint64(len(b)-at) {
		return nil, 0, false
	}
	end = at + int(size)
	return b[at:end:end], end, true
}
