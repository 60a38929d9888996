package queue

// line is first come, first served. Its members have their links in themselves, so that
// joining and leaving allocate nothing.
type line[T any, P linked[T]] struct{ head, tail *T }

// links are a member's neighbours.
type links[T any] struct {
	prev, next *T
	lined      bool
}

// linked is a pointer to a type with links.
type linked[T any] interface {
	*T
	links() *links[T]
}

func (l *line[T, P]) push(x *T) {
	*P(x).links() = links[T]{prev: l.tail, lined: true}
	if l.tail == nil {
		l.head = x
	} else {
		P(l.tail).links().next = x
	}
	l.tail = x
}

func (l *line[T, P]) remove(x *T) {
	k := P(x).links()
	if k.prev == nil {
		l.head = k.next
	} else {
		P(k.prev).links().next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		P(k.next).links().prev = k.prev
	}
	*k = links[T]{}
}
