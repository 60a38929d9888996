package cells

import "fmt"

// List is first come, first served. Its members have their links in themselves, so joining
// and leaving allocate nothing. R is what names a member: a slot or a pointer. The zero R
// names none.
//
// Only who keeps the members knows where their links are, and hands them in with the names:
// to ask for them by an interface or a function would cost each job several indirect calls.
// The links of a neighbour that is not there are never touched, and may be nil.
type List[R comparable] struct {
	Head, Tail R
	N          int
}

// Links are a member's neighbours.
type Links[R comparable] struct{ Prev, Next R }

// Push appends a member. last are the links of the tail.
func (l *List[R]) Push(r R, own, last *Links[R]) {
	var none R
	own.Prev, own.Next = l.Tail, none
	if l.Tail == none {
		l.Head = r
	} else {
		last.Next = r
	}
	l.Tail = r
	l.N++
}

// Remove takes a member out. before and after are the links of its neighbours.
func (l *List[R]) Remove(own, before, after *Links[R]) {
	var none R
	if own.Prev == none {
		l.Head = own.Next
	} else {
		before.Next = own.Next
	}
	if own.Next == none {
		l.Tail = own.Prev
	} else {
		after.Prev = own.Prev
	}
	own.Prev, own.Next = none, none
	l.N--
}

// Has says whether this list has a member. It must be in no other list with these links.
func (l *List[R]) Has(r R, own *Links[R]) bool {
	var none R
	return own.Prev != none || l.Head == r
}

// Check walks the list, and shows its members in their order.
func (l *List[R]) Check(at func(R) *Links[R], see func(R) error) error {
	var prev, none R
	n := 0
	for r := l.Head; r != none; prev, r = r, at(r).Next {
		if at(r).Prev != prev {
			return fmt.Errorf("S4: member %d of a list has another before it than it says", n)
		}
		if err := see(r); err != nil {
			return err
		}
		n++
	}
	if l.Tail != prev {
		return fmt.Errorf("S4: a list of %d has another end", n)
	}
	if n != l.N {
		return fmt.Errorf("S3: a list counts %d, has %d", l.N, n)
	}
	return nil
}
