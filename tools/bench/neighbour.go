package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// A neighbour is one connection that puts, reserves and deletes in a tube of its own,
// one command at a time, and whose waiting is measured while others disturb the server.
type neighbour struct {
	run  *run
	loop *loop
	conn *conn
	sum  tally
	away int64 // the longest time in which the generator did not look for an answer
	work int64 // the most that the server worked while an answer was awaited

	// Of the command that awaits its answer.
	missed int64         // the longest time in which nobody looked
	used   time.Duration // the server's clock when it was sent
}

const (
	neighbourTube = "bench-neighbour"
	// aftermath is how long the neighbour is measured when the disturbance is over.
	aftermath = 200 * time.Millisecond
	// disturbPatience bounds what is waited for.
	disturbPatience = 5 * time.Minute
	// neighbourWait is how long a generator that does not spin waits for the neighbour's
	// answer before it looks after the disturbance.
	neighbourWait = int64(100e3)
)

// measureNeighbour disturbs a server again and again, and measures its neighbour.
func measureNeighbour(ctx context.Context, t target, ld load, set settings) (*result, error) {
	if t.echo {
		return nil, errors.New("an echo server has no neighbours")
	}
	n, err := newNeighbour(t, set)
	if err != nil {
		return nil, err
	}
	defer n.run.close()
	d := newDisturbance(t, &ld)
	s := &stalls{By: ld.Disturb.By}
	res := &result{Load: ld, Stalls: s}
	busy := time.Duration(0)
	for range ld.Disturb.Again {
		one, used, err := n.disturbed(ctx, d, ld.Disturb.Peace)
		d.end()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ld.Disturb.By, err)
		}
		set.say("%s", one)
		s.Each = append(s.Each, *one)
		res.Seconds += used.whole.Seconds()
		busy += used.others
	}
	if err := n.audit(); err != nil {
		return nil, err
	}
	res.Ops, res.ByCommand = n.sum.total(), map[string]uint64{}
	use, err := usageOf(t.pid)
	if err != nil {
		return nil, err
	}
	if t.pid != 0 {
		res.OthersCPU = max(0, busy.Seconds()/res.Seconds)
		res.Server.RSS, res.Server.PeakRSS = use.rss, use.peak
	}
	if !t.owned {
		return res, clearDisturbed(t.addr)
	}
	return res, nil
}

func newNeighbour(t target, set settings) (*neighbour, error) {
	ld := defaultLoad()
	ld.Connections = 1
	q := newRequests(&ld)
	r := &run{target: t, load: &ld, spin: set.spin, base: time.Now(), payload: q.payload}
	l, err := newLoop(r, 0)
	if err != nil {
		return nil, err
	}
	r.loops = []*loop{l}
	n := &neighbour{run: r, loop: l}
	fd, err := dialSocket(t.addr)
	if err != nil {
		r.close()
		return nil, err
	}
	n.conn = &conn{fd: fd, plan: cyclePlan{q}, random: rand.New(rand.NewPCG(1, 1))}
	if err := errors.Join(moveTo(fd, neighbourTube), l.add(n.conn)); err != nil {
		n.conn.close()
		r.close()
		return nil, err
	}
	return n, nil
}

// moveTo has a connection use and watch one tube alone. Its socket still blocks.
func moveTo(fd int, tube string) error {
	return errors.Join(
		converse(fd, "use "+tube, wordUsing),
		converse(fd, "watch "+tube, wordWatching),
		converse(fd, "ignore default", wordWatching))
}

// usedTime is how long a measurement took, and what others used of the processors.
type usedTime struct{ whole, others time.Duration }

// disturbed measures peace, one disturbance, and what comes after it.
func (n *neighbour) disturbed(ctx context.Context, d disturbance, peace time.Duration) (*stall, usedTime, error) {
	ctx, cancel := context.WithTimeout(ctx, disturbPatience)
	defer cancel()
	if err := d.prepare(ctx); err != nil {
		return nil, usedTime{}, err
	}
	// A collection of this program's garbage would be measured too; there is little.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := n.run.moment(n.run.now())
	end := before.at + int64(peace)
	calm, err := n.observe(ctx, nil, func(now int64) bool { return now >= end })
	if err != nil {
		return nil, usedTime{}, err
	}
	if at := d.starts(); !at.IsZero() {
		from := int64(at.Sub(n.run.base))
		if late := n.run.now() - from; late > 0 {
			return nil, usedTime{}, fmt.Errorf("it began %v before the peace was over", time.Duration(late))
		}
		if _, err := n.observe(ctx, nil, func(now int64) bool { return now >= from }); err != nil {
			return nil, usedTime{}, err
		}
	}
	began, over := n.run.now(), int64(0)
	stormy, err := n.observe(ctx, d, func(now int64) bool {
		if over == 0 && d.over() {
			over = now
		}
		return over > 0 && now >= over+int64(aftermath)
	})
	if err != nil {
		return nil, usedTime{}, err
	}
	after := n.run.moment(n.run.now())
	used := usedTime{whole: time.Duration(after.at - before.at)}
	used.others = after.busy - before.busy - (after.self - before.self) - (after.server.cpu - before.server.cpu)
	s := newStall(calm, stormy, time.Duration(over-began), n.away, n.work)
	return s, used, errors.Join(before.err, after.err)
}

// observe measures the neighbour, from rest to rest: between two phases nothing of it
// waits for an answer.
func (n *neighbour) observe(ctx context.Context, d disturbance, until func(now int64) bool) (*histogram, error) {
	l := n.loop
	l.measuring, l.stopping, n.away, n.work = true, false, 0, 0
	var err error
	if n.used, err = n.serverClock(); err != nil {
		return nil, err
	}
	n.missed = 0
	if err := l.advance(n.conn, n.run.now()); err != nil {
		return nil, err
	}
	if d != nil {
		if err := d.begin(); err != nil {
			return nil, err
		}
	}
	if err := n.pump(ctx, d, until); err != nil {
		return nil, err
	}
	l.stopping = true
	err = n.pump(ctx, d, func(int64) bool { return n.conn.left == 0 && n.conn.plan.rest(n.conn) })
	l.measuring = false
	h := l.tally.commands()
	n.sum.add(&l.tally)
	l.tally = tally{}
	return h, err
}

// pump drives the neighbour and the disturbance in turn.
func (n *neighbour) pump(ctx context.Context, d disturbance, until func(now int64) bool) error {
	l := n.loop
	looked := n.run.now()
	for turn := 0; !until(looked); turn++ {
		if turn%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		worked := false
		if d != nil {
			var err error
			if worked, err = d.step(); err != nil {
				return err
			}
		}
		wait := int64(0)
		if !n.run.spin && !worked {
			wait = neighbourWait
		}
		k, err := waitEvents(l.epfd, l.events[:1], wait)
		if err != nil {
			return err
		}
		if k > 0 {
			if err := n.answered(l.events[0].Events); err != nil {
				return fmt.Errorf("the neighbour: %w", err)
			}
		}
		now := n.run.now()
		n.away, n.missed = max(n.away, now-looked), max(n.missed, now-looked)
		looked = now
	}
	return nil
}

// answered takes an answer, and tells a server that worked from one that was kept from
// its processor, or whose answer nobody looked for.
func (n *neighbour) answered(events uint32) error {
	used, err := n.serverClock()
	if err != nil {
		return err
	}
	waited := n.run.now() - n.conn.due - n.missed
	n.work = max(n.work, min(waited, int64(used-n.used)))
	n.used, n.missed = used, 0
	return n.loop.serve(n.conn, events)
}

// serverClock is zero where the process is not known.
func (n *neighbour) serverClock() (time.Duration, error) {
	if n.run.target.pid == 0 {
		return 0, nil
	}
	return cpuTime(n.run.target.pid)
}

// audit holds the counts of the neighbour's tube against what it did.
func (n *neighbour) audit() error {
	c, err := dialClient(n.run.target.addr)
	if err != nil {
		return err
	}
	defer c.close()
	got, err := c.numbers("stats-tube " + neighbourTube)
	if err != nil {
		return err
	}
	for key, want := range map[string]int64{
		"total-jobs": n.sum.inserted, "current-jobs-ready": 0, "current-jobs-reserved": 0,
	} {
		if got[key] != want {
			return fmt.Errorf("the server counts %s: %d in the neighbour's tube, and should %d", key, got[key], want)
		}
	}
	return nil
}

// clearDisturbed takes the jobs of a disturbance out of a server with other users.
func clearDisturbed(addr string) error {
	c, err := dialClient(addr)
	if err != nil {
		return err
	}
	defer c.close()
	return c.emptyTube(disturbedTube)
}
