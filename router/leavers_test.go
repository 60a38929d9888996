package router

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"beanfield/shard/queue"
)

// stats-tube of one shard does not count a wait that another has ended, although
// its session has not had time to withdraw.
func TestStatsTubeOfEndedWaits(t *testing.T) {
	for name, end := range map[string]func(p, other *player){
		"a job elsewhere": func(_, other *player) { other.put(0, 0, 60, nil) },
		"a timeout":       func(p, _ *player) { p.CancelWait(queue.TimedOut) },
		"a hang-up":       func(p, _ *player) { p.Close() },
	} {
		for _, wide := range []int{0, 1} {
			d := newBedOf(2, queue.Config{Many: wide})
			here := d.tube(0, 0)
			p, stays, other := d.newPlayer("p"), d.newPlayer("stays"), d.newPlayer("other")
			other.Use([]byte(d.tube(1, 0)))
			p.watchOnly(here, d.tube(0, 1), d.tube(1, 0))
			stays.watchOnly(here, d.tube(0, 1))
			p.reserve(0, nil, false)
			stays.reserve(0, nil, false)
			if info, _ := d.stats(here); info.Waiting != 2 {
				t.Fatalf("%s: %d wait, want 2", name, info.Waiting)
			}
			d.shards[0].inPlace = never // so the withdrawal stays in the mailbox
			end(p, other)
			if info, _ := d.stats(here); info.Waiting != 1 {
				t.Errorf("%s, wide at %d: %d wait, want 1", name, wide, info.Waiting)
			}
			if err := d.shards[0].state.Sound(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A shard that hears of a wait when that is over, and has looked for those who left, takes no place for it.
func TestWaitThatComesLate(t *testing.T) {
	d := newBed(2)
	p, other := d.newPlayer("p").watchOnly(both(d)...), d.newPlayer("other")
	other.Use([]byte(d.tube(0, 0)))
	asked := 0
	d.shards[1].inPlace = func() bool { asked++; return asked == 1 } // the offer, and not the wait
	p.reserve(0, nil, false)
	other.put(0, 0, 60, nil)
	d.stats(d.tube(1, 0))
	d.shards[1].step()
	if info, _ := d.stats(d.tube(1, 0)); !p.Delivered() || info.Waiting != 0 {
		t.Errorf("delivered: %v, and %d wait", p.Delivered(), info.Waiting)
	}
}

// However many end waits while the shard looks, each client comes out after its
// last end, and never twice for one.
func TestLeaversConcurrently(t *testing.T) {
	const adders, refs, each = 4, 50, 2000
	var l leavers
	all := make([]*ref, refs)
	for i := range all {
		all[i] = &ref{}
	}
	var wg sync.WaitGroup
	for range adders {
		wg.Go(func() {
			for i := range each {
				l.add(all[i%refs])
			}
		})
	}
	out, done := 0, make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		list := l.take(nil)
		out += len(list)
		seen := map[*queue.Client]bool{}
		for _, c := range list {
			if seen[c] {
				t.Fatal("a client comes out twice at once")
			}
			seen[c] = true
		}
	}
	if out < refs || out > adders*each {
		t.Errorf("%d come out", out)
	}
	for _, f := range all {
		if f.leaves.Load() || f.leaver != nil {
			t.Error("a client is still in")
		}
	}
}

// A session that leaves lets others in between, and lets go of its tubes in the order of the
// reference. It leaves in equal steps, however many tubes it watches, and so do many clients
// at once: what a turn plays, and what the shards do for it, does not grow.
func TestFarewellOfManyTubes(t *testing.T) {
	for _, c := range []struct{ clients, tubes int }{{1, 10 * maxSteps}, {1, 30_000}, {50, 11 * maxSteps}} {
		d := newBed(3)
		var all []*player
		for range c.clients {
			p := d.newPlayer("p")
			for i := range c.tubes {
				p.Watch(fmt.Appendf(nil, "w%d", i))
			}
			p.Ignore([]byte(DefaultTube)) // the last takes its place
			all = append(all, p)
		}
		ops, turns := 0, 0
		for i := range d.shards {
			d.shards[i].inPlace = func() bool { ops++; return true }
			d.shards[i].ran = func(b *queue.Batch) { ops += len(b.Ops) - 1 }
		}
		var want nameSet // what list-tubes shows
		for _, name := range d.r.tubes.all() {
			want.add(name)
		}
		for next := (*player).Close; len(all) > 0; turns++ {
			all = slices.DeleteFunc(all, func(p *player) bool {
				ops = 0
				ended := next(p)
				if most := maxSteps + len(d.shards) + 1; ops > most { // in the first turn each shard is left
					t.Fatalf("%d clients: turn %d makes %d operations, want %d at most", c.clients, turns, ops, most)
				}
				return ended
			})
			next = (*player).Resume
			if c.tubes > 10*maxSteps {
				continue
			}
			for want.count > d.r.Tubes() { // the first goes, then from the end
				last := fmt.Append(nil, "w", want.count-2)
				want.removeAt(want.index(last))
			}
			if got := d.r.tubes.all(); !slices.Equal(got, want.snapshot().all()) {
				t.Fatalf("turn %d: the list of tubes is %v, want %v", turns, got, want.snapshot().all())
			}
		}
		if least := c.tubes / maxSteps; turns < least || turns > least+2 || d.r.Tubes() != 1 {
			t.Errorf("%d clients: %d turns, and %d tubes are left", c.clients, turns, d.r.Tubes())
		}
	}
}

// So does any other call that concerns very many shards.
func TestLongScript(t *testing.T) {
	if maxSteps > 256 {
		t.Fatalf("others wait for %d batches of one call", maxSteps)
	}
	const shards = 5*maxSteps/2 + 1
	d := newBed(shards)
	p := d.newPlayer("p")
	batches := 0
	for i := range d.shards {
		d.shards[i].inPlace = func() bool { batches++; return true }
	}
	turns := 1
	for done := p.CountAll(nil); !done; done = p.Resume() {
		if batches > turns*maxSteps {
			t.Fatalf("turn %d: %d batches have been played", turns, batches)
		}
		turns++
	}
	if batches != shards || turns != 3 {
		t.Errorf("%d shards are asked in %d turns", batches, turns)
	}
}
