package shard

import (
	"runtime"
	"sync"
	"testing"

	"beanfield/shard/queue"
)

func TestMailboxOrder(t *testing.T) {
	var m mailbox
	if !m.empty() || m.swap() != nil {
		t.Fatal("a new mailbox is not empty")
	}
	for n := range 50 {
		batches := make([]queue.Batch, n)
		for i := range batches {
			m.push(&batches[i])
		}
		if m.empty() != (n == 0) {
			t.Fatalf("empty is %v with %d batches", m.empty(), n)
		}
		i := 0
		for b := m.swap(); b != nil; b = b.Link {
			if b != &batches[i] {
				t.Fatalf("batch %d of %d is out of order", i, n)
			}
			i++
		}
		if i != n || !m.empty() {
			t.Fatalf("%d of %d batches, empty is %v", i, n, m.empty())
		}
	}
}

// Many push, one swaps out: every batch comes once, and those of one pusher
// come in their order.
func TestMailboxConcurrently(t *testing.T) {
	const pushers, each = 4, 5000
	var m mailbox
	var wg sync.WaitGroup
	for p := range pushers {
		wg.Go(func() {
			for i := range each {
				m.push(&queue.Batch{Ops: []queue.Op{{ID: uint64(p), Count: uint32(i)}}})
				if i%64 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	next := make([]uint32, pushers)
	for got := 0; got < pushers*each; {
		b := m.swap()
		if b == nil {
			runtime.Gosched()
		}
		for ; b != nil; b = b.Link {
			op := &b.Ops[0]
			if op.Count != next[op.ID] {
				t.Fatalf("pusher %d: batch %d, want %d", op.ID, op.Count, next[op.ID])
			}
			next[op.ID]++
			got++
		}
	}
	wg.Wait()
	if !m.empty() {
		t.Error("more came out than went in")
	}
}
