package queue

import "fmt"

// list is first come, first served. Its members have their links in themselves, so joining
// and leaving allocate nothing. R is what names a member: a slot or a pointer. The zero R
// names none.
//
// Only who keeps the members knows where their links are, and hands them in with the names:
// to ask for them by an interface or a function would cost each job several indirect calls.
// The links of a neighbour that is not there are never touched, and may be nil.
type list[R comparable] struct {
	head, tail R
	n          int
}

// links are a member's neighbours.
type links[R comparable] struct{ prev, next R }

// push appends a member. last are the links of the tail.
func (l *list[R]) push(r R, own, last *links[R]) {
	var none R
	own.prev, own.next = l.tail, none
	if l.tail == none {
		l.head = r
	} else {
		last.next = r
	}
	l.tail = r
	l.n++
}

// remove takes a member out. before and after are the links of its neighbours.
func (l *list[R]) remove(own, before, after *links[R]) {
	var none R
	if own.prev == none {
		l.head = own.next
	} else {
		before.next = own.next
	}
	if own.next == none {
		l.tail = own.prev
	} else {
		after.prev = own.prev
	}
	own.prev, own.next = none, none
	l.n--
}

// has says whether a member that can be in no other list with these links is in this one.
func (l *list[R]) has(r R, own *links[R]) bool {
	var none R
	return own.prev != none || l.head == r
}

// check walks the list, and shows its members in their order.
func (l *list[R]) check(at func(R) *links[R], see func(R) error) error {
	var prev, none R
	n := 0
	for r := l.head; r != none; prev, r = r, at(r).next {
		if at(r).prev != prev {
			return fmt.Errorf("S4: member %d of a list has another before it than it says", n)
		}
		if err := see(r); err != nil {
			return err
		}
		n++
	}
	if l.tail != prev {
		return fmt.Errorf("S4: a list of %d has another end", n)
	}
	if n != l.n {
		return fmt.Errorf("S3: a list counts %d, has %d", l.n, n)
	}
	return nil
}
