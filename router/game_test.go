package router

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// game is what a random session may do, over shards of random number and shares.
type game struct {
	t        *testing.T
	seed     uint64
	step     int
	rnd      *rand.Rand
	bed      *bed
	tubes    []string
	log      []string
	policies map[string]*policy.Policy
}

// newGame makes shards that answer at once. A turn has less than a share, or with 1 a whole one.
func newGame(t *testing.T, seed uint64, rnd *rand.Rand, share int) *game {
	g := &game{t: t, seed: seed, rnd: rnd, tubes: []string{DefaultTube}, policies: map[string]*policy.Policy{}}
	for i := range 1 + rnd.IntN(8) {
		g.tubes = append(g.tubes, fmt.Sprint("t", i))
	}
	g.rule()
	of := func(tube string) *policy.Policy { return g.policies[tube] }
	g.bed = newBedOf(1+rnd.IntN(9), queue.Config{Many: rnd.IntN(4), Share: rnd.IntN(share), PolicyFor: of})
	return g
}

// rule gives tubes weights, and limits on what is handed out, in two of three games.
func (g *game) rule() {
	if g.rnd.IntN(3) == 0 {
		return
	}
	for _, tube := range g.tubes {
		p := &policy.Policy{Weight: g.rnd.IntN(6), Aging: int64(g.rnd.IntN(3)) * second / 2}
		if g.rnd.IntN(3) == 0 {
			p.MaxReserved = 1 + g.rnd.IntN(3)
		}
		if g.rnd.IntN(4) > 0 {
			g.policies[tube] = p
		}
	}
}

func (g *game) note(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf("%d: ", g.step)+fmt.Sprintf(format, args...))
}

func (g *game) fatalf(format string, args ...any) {
	g.t.Helper()
	for _, line := range g.log[max(0, len(g.log)-100):] {
		g.t.Log(line)
	}
	g.t.Fatalf("seed %d, step %d: %s", g.seed, g.step, fmt.Sprintf(format, args...))
}

// someTags are what a job may have, and a reserve may ask for.
func (g *game) someTags() queue.Tags { return []queue.Tags{nil, red, large, largeRed}[g.rnd.IntN(4)] }

// choose picks what a player that does not wait does next.
func (g *game) choose(p *player) queue.Op {
	name := []byte(g.tubes[g.rnd.IntN(len(g.tubes))])
	switch n := g.rnd.IntN(18); n {
	case 0, 1, 2, 3:
		op := queue.Op{Kind: queue.Put, Pri: uint32(g.rnd.IntN(4)), TTR: uint32(1 + g.rnd.IntN(4))}
		if g.rnd.IntN(4) == 0 {
			op.Delay = uint32(1 + g.rnd.IntN(3))
		}
		return op
	case 4, 5, 6, 7, 8:
		if g.rnd.IntN(3) == 0 {
			op := queue.Op{Kind: queue.ReserveSeveral, Poll: g.rnd.IntN(5) < 2, Limit: uint32(1 + g.rnd.IntN(5))}
			if g.rnd.IntN(2) == 0 {
				op.Options = &queue.Options{Tags: g.someTags()}
			}
			return op
		}
		return queue.Op{Kind: queue.Reserve, Poll: g.rnd.IntN(5) < 2}
	case 9, 10, 11:
		return queue.Op{Kind: []queue.Kind{queue.Use, queue.Watch, queue.Ignore}[n-9], Data: name}
	case 12:
		return queue.Op{Kind: queue.Pause, Data: name, Delay: uint32(g.rnd.IntN(3))}
	case 13: // these change nothing
		kinds := []queue.Kind{queue.Totals, queue.PeekReady, queue.PeekBuried, queue.Peek}
		return queue.Op{Kind: kinds[g.rnd.IntN(4)], ID: g.anyID(p)}
	}
	kinds := []queue.Kind{queue.Delete, queue.Delete, queue.Delete, queue.Release, queue.Bury, queue.Touch,
		queue.KickJob, queue.Kick, queue.ReserveJob}
	op := queue.Op{Kind: kinds[g.rnd.IntN(len(kinds))], ID: g.anyID(p), Pri: uint32(g.rnd.IntN(4)),
		Limit: uint32(g.rnd.IntN(4))}
	if op.Kind == queue.ReserveJob && len(g.policies) > 0 {
		op.Kind = queue.Touch
	}
	if op.Kind == queue.Release {
		op.Delay = uint32(g.rnd.IntN(3))
	}
	return op
}

// anyID picks an id: one that the player has, or any other.
func (g *game) anyID(p *player) uint64 {
	last := g.bed.r.ids.last.Load()
	if g.rnd.IntN(4) > 0 {
		for id := uint64(1); id <= last; id++ {
			if p.held[id] {
				return id
			}
		}
	}
	return g.rnd.Uint64N(last + 2)
}

// act lets a player do something. then hears of the answer, except that of a reserve; it may
// be nil.
func (g *game) act(p *player, op queue.Op, then func(op *queue.Op)) {
	if then == nil {
		then = func(*queue.Op) {}
	}
	g.note("%s with %s: %s %s", p.name, p.Used(), describeOp(&op), op.Data)
	switch op.Kind {
	case queue.Put:
		p.tags = g.someTags()
		p.put(op.Pri, op.Delay, op.TTR, then)
	case queue.Reserve, queue.ReserveSeveral:
		p.reserve(int(op.Limit), op.Options, op.Poll)
	case queue.Use:
		p.call(p.Use(op.Data), nil)
	case queue.Watch:
		p.call(p.Watch(op.Data), nil)
	case queue.Ignore:
		done, refused := p.Ignore(op.Data)
		if refused {
			op.Status = queue.Refused
		} else {
			p.call(done, nil)
		}
		then(&op)
	case queue.Totals:
		p.call(p.CountAll(nil), nil)
	case queue.Pause:
		p.submit(p.r.TubeShard(op.Data), op, false, then)
	case queue.PeekReady, queue.PeekBuried, queue.Kick:
		p.submit(p.UsedShard(), op, true, then)
	default:
		p.byID(op, then)
	}
}
