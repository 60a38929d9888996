package lanes

import "fmt"

// Read hands in what a lane has behind the place of a request. First is where the lane begins, or 0
// if that is not beyond that place. If more is set, there are more.
func (l *Log) Read(id, first uint64, records [][]byte, more bool) error {
	i, a := l.request(id)
	if a == nil {
		return l.failed
	}
	seq := a.place + 1
	if first > seq {
		if l.role != Follower && l.epoch != 0 && !l.without.purged { // P4
			l.stepBack(ErrOvertaken)
		}
		seq = first
	}
	for _, data := range records {
		e, err := parse(l.last.Origin, seq, data)
		if err == nil {
			err = l.take(i, e)
		}
		if l.fail(err) != nil {
			return err
		}
		seq++
	}
	// What begins beyond what was read has a last record (P8), which the read has missed.
	if a.behind = more || first > a.place+1; l.without.doubt && l.writing != nil && !more {
		l.writing = nil
	}
	l.goOn()
	return l.failed
}

// take goes on to the next record of a lane.
func (l *Log) take(i int, e Entry) error {
	a := &l.lanes[i]
	if e.Record.Epoch < a.newest {
		return fmt.Errorf("%w: epoch %d behind epoch %d at %d of lane %d", ErrForeign, e.Record.Epoch, a.newest, e.Seq,
			i)
	}
	a.pass(&e)
	l.seen = max(l.seen, e.Record.Epoch)
	if e.begins() {
		l.begun(i, &e)
		return nil
	}
	if e.Record.Epoch > l.epoch || e.Record.Epoch == l.epoch && l.role == Candidate && !l.without.purged {
		l.outrun(e.Record.Epoch) // the epoch's own record may have been purged
	}
	a.ahead = append(a.ahead, e)
	err := l.join()
	if len(a.ahead) > 0 {
		l.lanes[1-i].behind = true // what is missing may have come to the other lane since
	}
	return err
}

// begun looks at the beginning of an epoch.
func (l *Log) begun(i int, e *Entry) {
	switch epoch := e.Record.Epoch; {
	case l.epoch == 0 || l.role == Follower || epoch < l.epoch:
	case epoch == l.epoch && (e.nonce() == l.nonce || l.without.nonce):
		l.lanes[i].mine = true
	default:
		l.outrun(epoch)
	}
}

// outrun ends a candidacy or an ownership, because there is somebody else's epoch.
func (l *Log) outrun(epoch uint64) {
	if l.role == Follower || l.epoch == 0 || l.without.looking && l.role == Owner {
		return
	}
	l.stepBack(fmt.Errorf("%w: %d, behind %d", ErrOvertaken, epoch, l.epoch))
}

// join takes what comes next, as long as one of the lanes has it.
func (l *Log) join() error {
	for i := 0; i < len(l.lanes); i++ {
		a := &l.lanes[i]
		if len(a.ahead) == 0 {
			continue
		}
		e := a.ahead[0]
		switch {
		case e.Record.Number > l.last.Number && l.without.chain, l.last.Takes(&e.Record):
			l.last.Number, l.last.Hash = e.Record.Number, e.Hash
			l.open = e.Record.More && (e.Record.Epoch == l.epoch || l.without.parts)
			l.taken = append(l.taken, e)
			if l.writing != nil && l.writing.Record.Number <= e.Record.Number {
				l.writing = nil
			}
		case e.Record.Number > l.last.Number+1, l.last.Number == 0 && e.Record.Number == 1:
			continue // of the first one, the store has another base
		case e.Record.Number > l.last.Number, e.Record.Number == l.last.Number && e.Hash != l.last.Hash:
			return fmt.Errorf("%w: record %d, at %d of lane %d, does not go on with the one before", ErrForeign,
				e.Record.Number, e.Seq, i)
		}
		a.ahead = a.ahead[1:]
		i = -1
	}
	return nil
}
