package router

import (
	"fmt"

	"beanfield/shard/queue"
)

// checkStep holds after every move.
func (w *world) checkStep(m move) error {
	if w.err != nil {
		return w.err
	}
	if m.what == applies || m.what == ticks {
		if err := w.bed.shards[m.who].state.Check(); err != nil {
			return fmt.Errorf("shard %d: %w", m.who, err)
		}
	}
	for _, a := range w.actors {
		if a.Delivered() && a.gateOpen() {
			return fmt.Errorf("R1: %s has a job and its gate is open", a.name)
		}
	}
	return w.err
}

// checkRest holds when nothing more can happen.
func (w *world) checkRest() error {
	if err := w.checkWaits(); err != nil {
		return err
	}
	held := 0
	for _, a := range w.actors {
		if w.served && !a.mute && len(a.held) != 1 {
			return fmt.Errorf("%s leaves with %d jobs, though there were enough all the time", a.name, len(a.held))
		}
		for id := range a.held {
			if w.bed.holds(a.player, id) {
				held++
			} else if !a.fleeting {
				return fmt.Errorf("R1: %s was given job %d and does not hold it", a.name, id)
			}
		}
	}
	if w.crew != nil {
		return w.checkService(held)
	}
	if w.leaf != nil {
		if err := w.leaf(); err != nil {
			return err
		}
	}
	return w.checkJobs(held)
}

// checkJobs compares the jobs that are there with what the actors have done. held is how
// many of them the actors hold.
func (w *world) checkJobs(held int) error {
	all, reserved := w.bed.jobs()
	if reserved != held {
		return fmt.Errorf("R1: %d jobs are reserved, the actors know of %d", reserved, held)
	}
	last := w.bed.r.ids.last.Load()
	if put := int(last - w.first); all != put-len(w.ended) {
		return fmt.Errorf("%d jobs were put and %d deleted, but %d are there", put, len(w.ended), all)
	}
	for id := w.first + 1; id <= last; id++ {
		if err := w.bed.agree(id, false); err != nil {
			return err
		}
		if _, known := w.bed.r.ids.find(id); known == w.ended[id] {
			return fmt.Errorf("R2: job %d is in the directory: %v, deleted: %v", id, known, w.ended[id])
		}
	}
	return nil
}

// places is how many places a client that waits takes in a shard where it watches n tubes.
func (d *bed) places(n int) int {
	if d.wide != 0 && n > d.wide {
		return min(n, 1)
	}
	return n
}

// full says that a tube's policy lets no more of its jobs be reserved.
func (d *bed) full(tube string, reserved int) bool {
	r := d.r.rules.Load()
	if r == nil {
		return false
	}
	p := r.of(tube)
	return p != nil && p.MaxReserved > 0 && reserved >= p.MaxReserved
}

func (w *world) checkWaits() error {
	var players []*player
	for _, a := range w.actors {
		players = append(players, a.player)
	}
	return w.bed.checkWaits(players, w.linedIn, w.bed.places)
}

// checkWaits looks for lost wake-ups and for what a wait has left behind. lined counts other
// waiters of a shard; least says how many places a client that watches n tubes there takes if
// it does not take one for each.
func (d *bed) checkWaits(players []*player, lined func(*stepped) int, least func(n int) int) error {
	waits := int64(0)
	for i, p := range d.shards {
		want, few := lined(p), lined(p)
		for _, q := range players {
			if n := q.watchedIn(i); q.Waiting() && q.room {
				if q.UsedShard() == i {
					want, few = want+1, few+1
				}
			} else if q.Waiting() && len(q.asked()) > 0 {
				want += min(n, 1)
				few += min(n, 1)
			} else if q.Waiting() {
				want += max(least(n), d.places(n))
				few += least(n)
			}
		}
		if got := p.state.Waits(); got > want || got < few {
			return fmt.Errorf("R3: shard %d has %d waiters, want %d", i, got, want)
		}
	}
	for _, q := range players {
		switch {
		case q.busy():
			return fmt.Errorf("a call of %s has never ended", q.name)
		case q.Waiting() != q.gateOpen():
			return fmt.Errorf("R3: %s waits: %v, its gate is open: %v", q.name, q.Waiting(), q.gateOpen())
		case !q.Waiting():
			continue
		}
		if waits++; q.room {
			continue
		}
		for _, name := range q.Watched().all() {
			if st, ok := d.stats(name); ok && d.readyWith(name, q.asked()) && st.Pause == 0 && !d.full(name, st.Reserved) {
				return fmt.Errorf("lost wake-up: %s waits while %s has a ready job", q.name, name)
			}
		}
	}
	if n := d.waits.Load(); n != waits {
		return fmt.Errorf("%d waits are counted, want %d", n, waits)
	}
	return nil
}

// endAll ends everything, and checks that nothing is left of it.
func (w *world) endAll() error {
	w.bed.set(always, false)
	for _, a := range w.actors {
		if !a.closed {
			a.close()
		}
		for _, p := range w.bed.shards { // what took more than one turn
			for len(p.mail) > 0 {
				p.step()
			}
			for a.canResume() {
				a.resume()
			}
		}
		if a.busy() {
			return fmt.Errorf("%s cannot be closed", a.name)
		}
	}
	w.closePatrons()
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if i, ok := w.bed.r.Owner(id); ok {
			if op, _ := w.bed.shards[i].ask(queue.Op{Kind: queue.Delete, ID: id}); op.Status != queue.OK {
				return fmt.Errorf("job %d is held by nobody and cannot be deleted", id)
			}
		}
	}
	if err := w.bed.r.empty(w.first); err != nil {
		return err
	}
	return w.err
}
