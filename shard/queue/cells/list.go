package cells

import (
	"fmt"
	"iter"
)

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

// Line is a List whose members have a Node each, which says whose it is.
type Line[T any] struct{ List[*Node[T]] }

// Node is a member's place in a line.
type Node[T any] struct {
	Of T
	Links[*Node[T]]
}

func (n *Node[T]) links() *Links[*Node[T]] {
	if n == nil {
		return nil
	}
	return &n.Links
}

// Join appends a member.
func (l *Line[T]) Join(n *Node[T], of T) {
	n.Of = of
	l.Push(n, &n.Links, l.Tail.links())
}

// Leave takes a member out.
func (l *Line[T]) Leave(n *Node[T]) { l.Remove(&n.Links, n.Prev.links(), n.Next.links()) }

// In says whether a member is in this line. It must be in no other with this node.
func (l *Line[T]) In(n *Node[T]) bool { return l.Has(n, &n.Links) }

// First is who came first; the zero T if the line is empty.
func (l *Line[T]) First() (first T) {
	if l.Head != nil {
		first = l.Head.Of
	}
	return first
}

// All are the members in their order. The one that is shown may leave.
func (l *Line[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for n := l.Head; n != nil; {
			of := n.Of
			if n = n.Next; !yield(of) {
				return
			}
		}
	}
}

// CheckAll walks the line.
func (l *Line[T]) CheckAll(see func(T) error) error {
	return l.Check((*Node[T]).links, func(n *Node[T]) error { return see(n.Of) })
}
