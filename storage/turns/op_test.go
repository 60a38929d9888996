package turns

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// appendOp appends an operation again that has been read.
func appendOp(dst []byte, op Op) []byte {
	switch op.Kind {
	case Put, Update:
		return append(AppendJob(dst, op.Kind, op.ID, len(op.Value)), op.Value...)
	case Delete:
		return AppendDelete(dst, op.ID, op.Updated, op.Large)
	case SetQueue:
		return AppendSetQueue(dst, string(op.Name), op.Value)
	case DropQueue:
		return AppendDropQueue(dst, string(op.Name))
	case Raise:
		return AppendRaise(dst, op.ID)
	case Members:
		return AppendMembers(dst, op.Value)
	case Piece:
		return AppendPiece(dst, op.ID, op.N, op.Value)
	}
	panic("an operation of no kind")
}

// everyOp has each kind with each set of flags, and numbers and texts of several lengths.
func everyOp() (ops []Op) {
	texts := [][]byte{{}, []byte("x"), bytes.Repeat([]byte("long"), 50), bytes.Repeat([]byte{0x80}, 20_000)}
	for _, id := range []uint64{1, 127, 128, 1 << 40, math.MaxUint64} {
		for _, value := range texts {
			ops = append(ops, Op{Kind: Put, ID: id, Value: value}, Op{Kind: Update, ID: id, Value: value},
				Op{Kind: Piece, ID: id, N: id / 2, Value: value})
		}
		for flags := range 4 {
			ops = append(ops, Op{Kind: Delete, ID: id, Updated: flags&1 != 0, Large: flags&2 != 0})
		}
		ops = append(ops, Op{Kind: Raise, ID: id})
	}
	for _, name := range texts {
		for _, value := range texts {
			ops = append(ops, Op{Kind: SetQueue, Name: name, Value: value})
		}
		ops = append(ops, Op{Kind: DropQueue, Name: name}, Op{Kind: Members, Value: name})
	}
	return append(ops, Op{Kind: Raise})
}

// An operation is read as it was written, whatever comes behind it, and what is read reaches
// no further than the operation.
func TestOpsAreReadAsWritten(t *testing.T) {
	for _, want := range everyOp() {
		b := appendOp(nil, want)
		got, n, err := NextOp(append(bytes.Clone(b), "more"...))
		if err != nil || n != len(b) || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: got %+v, %d bytes, %v; want %d", want, got, n, err, len(b))
		}
		for _, part := range [][]byte{got.Name, got.Value} {
			if len(part) != cap(part) {
				t.Errorf("%+v: appending to a part of it would write behind it", want)
			}
		}
	}
}

// The bytes that a log holds do not change from one version to the next.
func TestOpsBytes(t *testing.T) {
	for _, c := range []struct {
		op   Op
		want string
	}{
		{Op{Kind: Put, ID: 300, Value: []byte("ab")}, "\x01\xac\x02\x02ab"},
		{Op{Kind: Update, ID: 1, Value: []byte{}}, "\x02\x01\x00"},
		{Op{Kind: Delete, ID: 1}, "\x03\x01"},
		{Op{Kind: Delete, ID: 1, Updated: true}, "\x43\x01"},
		{Op{Kind: Delete, ID: 1, Large: true}, "\x83\x01"},
		{Op{Kind: SetQueue, Name: []byte("q"), Value: []byte("v")}, "\x04\x01q\x01v"},
		{Op{Kind: DropQueue, Name: []byte("q")}, "\x05\x01q"},
		{Op{Kind: Raise, ID: 5}, "\x06\x05"},
		{Op{Kind: Piece, ID: 5, N: 3, Value: []byte("v")}, "\x07\x05\x03\x01v"},
		{Op{Kind: Members, Value: []byte("v")}, "\x08\x01v"},
	} {
		if got := string(appendOp(nil, c.op)); got != c.want {
			t.Errorf("%+v is %q, want %q", c.op, got, c.want)
		}
	}
}

// A row of operations that is cut anywhere reads as those that are whole, and then ErrOp.
func TestOpsThatAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := rapid.SliceOfN(rapid.SampledFrom(everyOp()), 1, 4).Draw(t, "operations")
		var b []byte
		ends := []int{0}
		for _, op := range ops {
			b = appendOp(b, op)
			ends = append(ends, len(b))
		}
		cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
		rest, at, i := b[:cut:cut], 0, 0
		for ; len(rest) > 0; i++ {
			op, n, err := NextOp(rest)
			if err != nil {
				if !errors.Is(err, ErrOp) || n != 0 || !reflect.DeepEqual(op, Op{}) {
					t.Fatalf("cut at %d: %+v, %d, %v with an error", cut, op, n, err)
				}
				break
			}
			if at += n; at != ends[i+1] || !reflect.DeepEqual(op, ops[i]) {
				t.Fatalf("cut at %d: operation %d is %+v up to %d", cut, i, op, at)
			}
			rest = rest[n:]
		}
		if ends[i] > cut || i < len(ops) && ends[i+1] <= cut {
			t.Fatalf("cut at %d: %d operations are whole; they end at %d", cut, i, ends)
		}
	})
}

var noOps = map[string]string{
	"nothing":                      "",
	"kind 0":                       "\x00\x01",
	"an unknown kind":              "\x09\x01",
	"a flag of nobody":             "\x23\x01",
	"a put with a flag":            "\x41\x01\x00",
	"a raise with a flag":          "\x86\x01",
	"a put of no job":              "\x01\x00\x00",
	"an update of no job":          "\x02\x00\x00",
	"a delete of no job":           "\x03\x00",
	"a longer way to write 1":      "\x03\x81\x00",
	"a longer way to write 0":      "\x05\x80\x00",
	"a number beyond 64 bits":      "\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
	"a number without an end":      "\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	"a length beyond all memory":   "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01abc",
	"a length beyond the end":      "\x05\x04abc",
	"a negative length, as an int": "\x01\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01abc",
}

func TestOpsThatAreNone(t *testing.T) {
	for name, b := range noOps {
		if op, _, err := NextOp([]byte(b)); err != ErrOp {
			t.Errorf("%s: %+v, %v", name, op, err)
		}
	}
}

// What NextOp accepts is written in the one way that Append writes it, and all of it lies
// within the bytes that it says. It never panics, and never reads beyond.
func FuzzOps(f *testing.F) {
	for _, op := range everyOp() {
		f.Add(appendOp(nil, op))
	}
	for _, b := range noOps {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		exact := bytes.Clone(b)[:len(b):len(b)]
		for len(exact) > 0 {
			op, n, err := NextOp(exact)
			if err != nil {
				return
			}
			if again := appendOp(nil, op); n <= 0 || !bytes.Equal(again, exact[:n]) {
				t.Fatalf("%x reads as %+v, which is %x", exact[:min(n, len(exact))], op, again)
			}
			if op.ID == 0 && op.Kind <= Delete {
				t.Fatalf("%+v is of no job", op)
			}
			short := exact[: n-1 : n-1]
			if _, _, err := NextOp(short); err == nil {
				t.Fatalf("%x is an operation, and so is %x", exact[:n], short)
			}
			exact = exact[n:]
		}
	})
}

// At keeps sequence and offset apart, and stays in order with both.
func TestAt(t *testing.T) {
	const far = math.MaxUint32
	var before At
	for i, c := range []struct {
		seq    uint32
		offset int64
	}{{0, 0}, {0, 1}, {0, far}, {1, 0}, {1, 48}, {far, 0}, {far, far}} {
		at := NewAt(c.seq, c.offset)
		if at.Seq() != c.seq || at.Offset() != c.offset || i > 0 && at <= before {
			t.Errorf("%d, %d: %d, %d; %d is not behind %d", c.seq, c.offset, at.Seq(), at.Offset(), at, before)
		}
		before = at
	}
	if at := NewAt(3, 100) + 7; at != NewAt(3, 107) {
		t.Errorf("7 bytes further on: %d, %d", at.Seq(), at.Offset())
	}
}
