package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/stack"
)

// leavers lists a shard's clients whose wait has ended elsewhere: another shard
// has delivered, or the session has given up. They stay in the queues of this
// shard until their session withdraws, but stats-tube must not count them any
// more. The goroutine that ends a wait adds them before anybody can learn that the
// wait has ended; the shard takes them out. Neither takes a lock.
type leavers struct {
	stack.Stack[ref]
	_ [56]byte // the next shard's is on a line of its own
}

// add puts a client in, unless it is in already: then the shard still has to handle
// it.
func (l *leavers) add(f *ref) {
	if f.leaves.Swap(true) {
		return
	}
	l.Push(f, &f.leaver)
}

// take moves all of them to a list.
func (l *leavers) take(list []*queue.Client) []*queue.Client {
	if l.Empty() {
		return list
	}
	for f := l.Take(); f != nil; {
		next := f.leaver
		f.leaver = nil
		f.leaves.Store(false) // from here on it may be put in again
		list = append(list, &f.client)
		f = next
	}
	return list
}
