package beanstalk

// spoil overwrites a buffer whose bytes nobody may use any more (B3). Only tests set it, before
// any loop runs: whoever still points into the buffer then sees something else.
var spoil func([]byte)

// over ends a connection's turn, or what was done with one read.
func (l *loop) over() {
	if spoil != nil {
		l.spoilAll()
	}
}

func (l *loop) spoilAll() {
	if len(l.out) > 0 {
		panic("B3: a turn leaves replies behind")
	}
	for _, b := range [][]byte{l.buf, l.out, l.records.Sealed, l.records.Record} {
		spoil(b[:cap(b)])
	}
}
