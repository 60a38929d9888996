package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
)

// itemOf is what the ledger has of an item; nil without a queue service.
func (w *world) itemOf(id uint64) *entry {
	if w.crew == nil {
		return nil
	}
	return w.crew.l.items[id]
}

// checkService is checkJobs for a world with patrons. held is how many jobs sessions hold.
func (w *world) checkService(held int) error {
	l := w.crew.l
	consumers, shown := l.held()
	if all, reserved := w.bed.jobs(); all != shown || reserved != held+consumers {
		return fmt.Errorf("R1: %d jobs, %d of them reserved; want %d, and %d that sessions have and %d that consumers have",
			all, reserved, shown, held, consumers)
	}
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if err := w.bed.agree(id, l.passed(id)); err != nil {
			return err
		}
		if _, known := w.bed.r.ids.find(id); known != (l.items[id] != nil) {
			return fmt.Errorf("R2: item %d is in the directory: %v, in the ledger: %v", id, known, !known)
		}
	}
	if err := w.checkPushes(); err != nil {
		return err
	}
	if err := w.crew.checkGets(); err != nil {
		return err
	}
	if w.leaf != nil {
		return w.leaf()
	}
	return nil
}

// checkPushes looks for items that have not reached the connection of the consumer that
// has them, and for those that a group has not sent though a consumer has room.
func (w *world) checkPushes() error {
	l := w.crew.l
	for _, p := range w.patrons {
		if p.busy() {
			return fmt.Errorf("an operation of %s has never ended", p.name)
		}
	}
	for id, e := range l.items {
		for _, g := range l.queue(e.queue).groups {
			s := e.of(g)
			if u := s.user; u != nil && u.conn != nil && (s.again || !slices.Contains(u.conn.heard, id)) {
				return fmt.Errorf("item %d is pending at %s.%s, whose connection was not sent it", id, g.name, u.name)
			}
			info, _ := w.bed.shards[w.bed.r.TubeShard([]byte(e.queue))].job(id)
			waits := s.user == nil && (g.view && s.owed && !s.done || !g.view && info.State == queue.Ready)
			for _, u := range g.users {
				if waits && l.room(u) {
					return fmt.Errorf("item %d is not sent to %s.%s, which has room", id, g.name, u.name)
				}
			}
		}
	}
	return nil
}

// has counts what is pending at a consumer.
func (l *ledger) has(u *ledgerUser) (n int) {
	for _, e := range l.items {
		if e.of(u.group).user == u {
			n++
		}
	}
	return n
}

// room says that a consumer may be sent another item.
func (l *ledger) room(u *ledgerUser) bool {
	return u.conn != nil && !u.stopped && l.has(u) < u.window
}

// linedIn counts the consumers that wait in the lines of a shard's tubes.
func (w *world) linedIn(p *stepped) (n int) {
	if w.crew == nil {
		return 0
	}
	for name, q := range w.crew.l.queues {
		if q.first == nil || w.bed.shards[w.bed.r.TubeShard([]byte(name))] != p {
			continue
		}
		for _, u := range q.first.users {
			if w.crew.l.room(u) {
				n++
			}
		}
	}
	return n
}

// closePatrons ends connections, gets and groups.
func (w *world) closePatrons() {
	if w.crew == nil {
		return
	}
	for _, p := range w.bed.shards {
		p.audit = nil
	}
	for _, p := range w.patrons {
		if p.get != nil {
			p.get.hangUp()
		}
		w.crew.submit(p.k.say(queue.AskLeave), queue.Op{}, nil)
		w.crew.submit(p.k.say(queue.AskDropGroup), queue.Op{}, nil)
	}
	w.bed.drain()
}

// drain applies what is in the mailboxes, in as many turns as it takes.
func (d *bed) drain() {
	for _, p := range d.shards {
		for len(p.mail) > 0 {
			p.step()
		}
	}
}
