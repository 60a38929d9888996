package jetstream

import (
	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

// longest is how many bytes of turns a record has at most, of one append or of several. Nearly eight
// times that would fit, but a record that a slow disk needs 300 ms for is appended to both lanes.
const longest = 1 << 20

// appending is what somebody has appended.
type appending struct {
	turns []byte
	begun bool // a first part is written
	done  func(error)
}

// writing is what the log is writing.
type writing struct {
	place turns.Place // number 0 if there is nothing
	ends  []*appending
}

// Append appends turns. It may be called by anybody, and takes the bytes. Done is told when they count, by the driver's
// goroutine, after Taken was given their last record, or at once if the driver is closed. With ErrNotOwner they do not
// count; with another error nobody knows, until a newer epoch has begun.
func (d *Driver) Append(b []byte, done func(error)) {
	ok := d.post(func() {
		if d.role != lanes.Owner || d.broken != nil {
			done(ErrNotOwner)
			return
		}
		d.queue = append(d.queue, &appending{turns: b, done: done})
	})
	if !ok {
		done(ErrNotOwner)
	}
}

// write gives the log the next record, with all turns that have gathered, or with a part of
// those that are too long for one.
func (d *Driver) write() {
	if d.writing.place.Number != 0 || !d.log.Ready() {
		return
	}
	if d.use != nil {
		d.log.Use(*d.use)
		d.use = nil
	}
	if len(d.queue) == 0 {
		return
	}
	first := d.queue[0]
	if len(first.turns) > longest {
		part := first.turns[:longest]
		rest := first.begun
		first.turns, first.begun = first.turns[longest:], true
		d.writing.place = d.log.Write(part, true, rest)
		return
	}
	b := first.turns
	n := 1
	for ; !first.begun && n < len(d.queue) && len(b)+len(d.queue[n].turns) <= longest; n++ {
		if n == 1 {
			b = append(make([]byte, 0, 2*(len(b)+len(d.queue[n].turns))), b...)
		}
		b = append(b, d.queue[n].turns...)
	}
	d.writing.ends = append(d.writing.ends, d.queue[:n]...)
	d.queue = d.queue[n:]
	d.writing.place = d.log.Write(b, false, first.begun)
}

// acknowledge tells whoever waits for one of these records.
func (d *Driver) acknowledge(taken []lanes.Entry) {
	for _, e := range taken {
		if e.Record.Number != d.writing.place.Number || e.Hash != d.writing.place.Hash {
			continue
		}
		ends := d.writing.ends
		d.writing = writing{}
		for _, a := range ends {
			a.done(nil)
		}
	}
}

// lose answers all that wait. Of turns that are being written nobody knows whether they count.
func (d *Driver) lose(why error) {
	w, queue := d.writing, d.queue
	d.writing, d.queue = writing{}, nil
	for _, a := range w.ends {
		a.done(why)
	}
	for _, a := range queue {
		if a.begun {
			a.done(why)
		} else {
			a.done(ErrNotOwner)
		}
	}
}
