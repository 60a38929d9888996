package jetstream

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

// suspect is how a follower makes sure that records are missing. What its own engine has may lag
// behind on one lane more than on the other; the lanes' leaders know.
type suspect struct {
	round  uint64 // of suspicion; reads that began in it count
	on     bool
	number uint64  // of the last record that chains
	proved [2]bool // the record that comes next is not on this lane
	told   bool
}

// run is the driver's goroutine.
func (d *Driver) run() {
	defer close(d.ended)
	d.skip()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-d.wake:
		case <-timer.C:
		}
		for {
			d.mu.Lock()
			mail, closed := d.mail, d.closed
			d.mail = nil
			d.mu.Unlock()
			if closed {
				for _, f := range mail { // whoever waits is answered
					f()
				}
				d.end()
				return
			}
			if len(mail) == 0 {
				break
			}
			for _, f := range mail {
				if f(); d.broken == nil {
					d.settle()
				}
			}
		}
		if d.broken == nil {
			timer.Reset(max(0, d.due()))
		}
	}
}

// skipLimit is how much longer than the one lane the other is asked where to begin: the driver follows neither
// meanwhile.
const skipLimit = 2 * time.Second

// skip passes over what the store has of the lanes. A lane that does not say where it has that is read from its start.
func (d *Driver) skip() {
	number := d.o.Store.Number
	if d.find == nil || number == 0 {
		return
	}
	var places [2]uint64
	var both sync.WaitGroup
	ctx, stop := context.WithCancel(d.ctx)
	for i := range places {
		both.Go(func() {
			places[i] = d.find(ctx, i, number)
			time.AfterFunc(skipLimit, stop)
		})
	}
	both.Wait()
	stop()
	for i, place := range places {
		d.log.From(i, place)
	}
}

// due does what is due by now, and says when something will be.
func (d *Driver) due() time.Duration {
	now := time.Now()
	d.late(now)
	d.repeat(now)
	if !now.Before(d.poll) {
		d.follow(now)
	}
	d.settle()
	next := d.poll
	for _, w := range d.waits {
		for _, at := range []time.Time{w.until, w.again} {
			if w.id != 0 && !at.IsZero() && at.Before(next) {
				next = at
			}
		}
	}
	return time.Until(next)
}

// late gives up requests that have not been answered in time.
func (d *Driver) late(now time.Time) {
	any := false
	for i := range d.waits {
		w := &d.waits[i]
		if w.id == 0 || now.Before(w.until) {
			continue
		}
		id := w.id
		*w, any = wait{}, true
		d.engine.Drop(id)
		d.count(func(s *State) { s.Doubts++ })
		d.log.Late(id)
	}
	if most := mostDoubt; any {
		if d.role == lanes.Candidate { // the lanes' leaders may come at any time, and everybody waits for this
			most = min(max(candidateDoubt, 2*d.took), mostDoubt)
		}
		d.patience = min(2*d.patience, most)
	}
}

// repeat sends reads again that nothing has answered. The engine gives each to any of the replicas, and may not
// know yet that a machine has vanished.
func (d *Driver) repeat(now time.Time) {
	for i := range d.waits {
		w := &d.waits[i]
		if w.id == 0 || w.after == 0 || now.Before(w.again) {
			continue
		}
		d.engine.Again(w.id)
		w.after *= 2
		w.again = now.Add(w.after)
	}
}

// follow reads the lanes on.
func (d *Driver) follow(now time.Time) {
	d.poll = now.Add(followEach)
	if d.role == lanes.Owner {
		d.poll = now.Add(ownEach)
	}
	if d.role == lanes.Candidate {
		return
	}
	for i := range d.waits {
		d.log.Follow(i)
	}
}

func (d *Driver) stand() {
	if role, _ := d.log.Role(); role == lanes.Follower {
		d.log.Stand(rand.Uint64())
	}
}

// answered hands in an answer, unless its request is not waited for any more.
func (d *Driver) answered(id uint64, success bool, f func() error) {
	for i := range d.waits {
		if d.waits[i].id != id || d.broken != nil {
			continue
		}
		d.took = time.Since(d.waits[i].begun)
		d.count(func(s *State) { s.Took = max(d.took, s.Took-s.Took/16) })
		d.waits[i] = wait{}
		if success {
			d.patience = doubt
			if d.role != lanes.Owner { // who has another lane to turn to
				d.patience = min(max(doubt, 2*d.took), mostDoubt)
			}
		}
		if err := f(); err != nil {
			d.fail(err)
		}
	}
}

func (d *Driver) read(id, first uint64, records [][]byte, more, sure bool) {
	for i := range d.waits {
		w := d.waits[i]
		if w.id != id {
			continue
		}
		success := len(records) > 0 || d.role == lanes.Follower
		d.answered(id, success, func() error { return d.log.Read(id, first, records, more) })
		if d.broken != nil {
			return
		}
		d.prove(i, w.round, records, more || !sure)
		if more && d.role == lanes.Follower {
			d.log.Follow(i)
		}
	}
}

// settle does what follows from an event: it hands on what counts, tells who owns the shard, and
// sends what the log asks for.
func (d *Driver) settle() {
	for d.broken == nil {
		taken := d.log.Taken()
		if len(taken) > 0 {
			d.o.Taken(taken)
			d.acknowledge(taken)
		}
		d.changed()
		d.gap()
		d.write()
		requests := d.log.Requests()
		for _, r := range requests {
			now := time.Now()
			w := wait{id: r.ID, begun: now, until: now.Add(d.patience)}
			if r.Data == nil {
				w.after = max(readAgain, d.took)
				w.again = now.Add(w.after)
			}
			if former := d.waits[r.Lane].id; former != 0 { // the log does not wait for it any more
				d.engine.Drop(former)
			}
			if d.suspect.on {
				w.round = d.suspect.round
			}
			d.waits[r.Lane] = w
			d.engine.Send(r, d.suspect.on || d.role != lanes.Follower)
		}
		if len(taken)+len(requests) == 0 {
			break
		}
	}
	place, seen, lane, unread := d.log.Place(), d.log.Seen(), d.log.InUse(), d.log.Unread()
	d.count(func(s *State) { s.Place, s.Seen, s.Lane, s.Unread = place, seen, lane, unread })
}

// changed looks whether the role has changed.
func (d *Driver) changed() {
	role, why := d.log.Role()
	if role == d.role {
		return
	}
	was := d.role
	d.role, d.poll, d.use = role, time.Now(), nil
	if role == lanes.Owner { // it has another lane to turn to
		d.patience = doubt
	}
	epoch, place := d.log.Epoch(), d.log.Place()
	d.count(func(s *State) { s.Role, s.Epoch, s.Place = role, epoch, place })
	if was == lanes.Owner {
		d.lose(why)
	}
	d.o.Changed(role, epoch, why)
}

// gap tells that records are missing, when both lanes have been read for it.
func (d *Driver) gap() {
	s, number := &d.suspect, d.log.Place().Number
	switch {
	case s.told:
	case s.on && (d.role != lanes.Follower || number != s.number):
		*s = suspect{round: s.round}
	case s.on && s.proved[0] && s.proved[1]:
		s.on, s.told = false, true
		d.o.Gap()
	case !s.on && d.role == lanes.Follower && d.log.Gap():
		*s = suspect{round: s.round + 1, on: true, number: number}
		d.log.Follow(0)
		d.log.Follow(1)
	}
}

// prove notes what a read says of a suspicion. On a lane numbers only rise, except in repeats: what is
// missing does not come behind a higher number.
func (d *Driver) prove(i int, round uint64, records [][]byte, more bool) {
	s := &d.suspect
	if !s.on || round != s.round {
		return
	}
	if n := len(records); n > 0 {
		last, _, _, err := turns.Decode(records[n-1])
		s.proved[i] = s.proved[i] || err == nil && last.Number > s.number+1
	} else if !more {
		s.proved[i] = true
	}
}

// fail ends everything but Close.
func (d *Driver) fail(err error) {
	d.broken = err
	d.lose(err)
	d.o.Broken(err)
}

// end answers whoever waits, and closes the engine's side.
func (d *Driver) end() {
	d.lose(ErrClosed)
	d.engine.Close()
}
