package queue

import (
	"errors"
	"testing"

	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// newTightState is a state with room for ten bytes of bodies.
func newTightState() *State {
	return NewState(Config{
		Directory: queuetest.Deaf{}, Log: queuetest.NewLog(), Durable: true, Budget: 10, Pinned: "default",
	})
}

func (s *State) runAll(t *testing.T, c *Client, ops ...Op) *Batch {
	t.Helper()
	b := batchOf(c, ops...)
	if !s.Run(1, b) || b.Next != len(ops) {
		t.Fatalf("stopped at %d of %d", b.Next, len(ops))
	}
	return b
}

func textOp(id uint64, body string) Op {
	return Op{Kind: Put, ID: id, TTR: 9, Size: uint32(len(body)), Data: []byte(body)}
}

// reads is a Reader that always ends so.
func reads(body string, err error) Reader {
	return func(uint64, uint32) ([]byte, error) { return []byte(body), err }
}

// A batch stops behind an answer that lacks its body, and goes on when it has
// been supplied.
func TestBatchStopsAtABodyThatIsAway(t *testing.T) {
	s, c := newTightState(), &Client{}
	s.runAll(t, c, Op{Kind: Use, Data: []byte("default")}, textOp(1, "longer than ten bytes"), textOp(2, "short"))
	b := batchOf(c, Op{Kind: Peek, ID: 2}, Op{Kind: Peek, ID: 1}, Op{Kind: Delete, ID: 1})
	if b.Lacking() {
		t.Error("a batch that has not been run lacks a body")
	}
	if !s.Run(1, b) || b.Next != 2 || !b.Lacking() {
		t.Fatalf("stopped at %d", b.Next)
	}
	b.Supply(reads("longer than ten bytes", nil))
	if b.Lacking() || b.Ops[1].Status != OK || string(joined(b.Ops[1].Parts)) != "longer than ten bytes" {
		t.Errorf("supplied: %+v", b.Ops[1])
	}
	if !s.Run(1, b) || b.Next != 3 || b.Ops[2].Status != OK {
		t.Errorf("then stopped at %d", b.Next)
	}
}

// A job that was deleted while its body was read is looked for again, but not
// for ever, and a reserve passes a job whose body is lost; other errors fail.
func TestSupplyOfABodyThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		err   error
		again bool
	}{
		{Peek, storage.ErrNoBody, true}, {PeekReady, storage.ErrNoBody, true}, {Reserve, storage.ErrNoBody, true},
		{Reserve, storage.ErrUnreadable, true}, {PeekDelayed, storage.ErrUnreadable, true},
		{Peek, storage.ErrUnreadable, false},
		{PeekBuried, storage.ErrUnreadable, false}, {Reserve, errors.New("the log has failed"), false},
		{ReserveJob, storage.ErrNoBody, false}, {Peek, errors.New("the sector is bad"), false},
	} {
		b := &Batch{Ops: []Op{{Kind: c.kind}}, Next: 1}
		tries := 0
		for b.Ops[0].Status != Failed {
			b.Next, b.lacking = 1, true
			quarantine := len(b.Supply(reads("", c.err))) > 0
			if want := errors.Is(c.err, storage.ErrUnreadable) ||
				errors.Is(c.err, storage.ErrNoBody) && (c.kind == Reserve || c.kind == ReserveJob); quarantine != want {
				t.Fatalf("operation %d, %v: set quarantine: %v", c.kind, c.err, quarantine)
			}
			tries++
			if again := b.Next == 0; again == (b.Ops[0].Status == Failed) || b.Lacking() {
				t.Fatalf("after %d tries: %+v", tries, b)
			}
		}
		if want := map[bool]int{true: fetchTries + 1, false: 1}[c.again]; tries != want {
			t.Errorf("operation %d, %v: failed after %d tries, want %d", c.kind, c.err, tries, want)
		}
	}
}
