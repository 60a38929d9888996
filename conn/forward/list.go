package forward

// list is a list of pairs, in the order of their times. A pair is in one list at most.
type list struct{ first, last *pair }

// add puts a pair where it belongs: mostly that is the end, and otherwise near the beginning.
func (l *list) add(p *pair) {
	p.in = l
	if l.last == nil || l.last.at <= p.at {
		p.prev = l.last
	} else {
		p.next = l.first
		for p.next.at <= p.at {
			p.next = p.next.next
		}
		p.prev = p.next.prev
	}
	*l.after(p.prev), *l.before(p.next) = p, p
}

// remove takes a pair out, if it is in the list.
func (l *list) remove(p *pair) {
	if p.in != l {
		return
	}
	*l.after(p.prev), *l.before(p.next) = p.next, p.prev
	p.in, p.prev, p.next = nil, nil, nil
}

// after is where the one after p is written down, and before where the one before it is.
func (l *list) after(p *pair) **pair {
	if p == nil {
		return &l.first
	}
	return &p.next
}

func (l *list) before(p *pair) **pair {
	if p == nil {
		return &l.last
	}
	return &p.prev
}
