//go:build linux

package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/bench/peers"
	"beanfield/tools/server"
)

// A rowResult holds what every peer did under one load.
type rowResult struct {
	*row
	peers []peerResult
}

// A peerResult holds one result a round; own those of the load that the row is compared with, where that is one of the
// same server.
type peerResult struct {
	peer
	rounds, own []*load.Result
	absent      string // why it could not take part
}

// A comparer is a comparison being made.
type comparer struct {
	peers    []peer
	pin      bool
	against  bool // two builds of beanfield are compared, in pairs
	rounds   int
	pairs    int // of each row, where there are pairs
	repeats  int // of a measurement that others on the machine disturbed
	warmup   time.Duration
	duration time.Duration
	settle   time.Duration // how long a server has before its memory is read
	scale    float64       // of the jobs that rows put beforehand
	data     string        // where the servers' directories are; "": with the system's temporary files
	rows     []row
	results  []rowResult
	kept     keeper
	within   time.Duration // a peer is left out of a row whose backlog it does not take in this time
}

// othersAllowed is the share of a processor that others may use before a measurement is repeated.
const othersAllowed = 0.10

// compare measures row by row, round by round.
func (c *comparer) compare(ctx context.Context) error {
	for i := range c.rows {
		res := rowResult{row: c.rows[i].scaled(c.scale)}
		for _, p := range c.peers {
			if p.inRow(res.row) {
				res.peers = append(res.peers, peerResult{peer: p})
			}
		}
		if err := c.row(ctx, &res); err != nil {
			return fmt.Errorf("%s: %w", res.Name, err)
		}
		c.results = append(c.results, res)
	}
	return nil
}

func (c *comparer) row(ctx context.Context, res *rowResult) error {
	ld := timed(res.Load, c.warmup, c.duration)
	if base := res.baseline(); res.Half && !c.against {
		if base == nil {
			return errors.New("this row needs the baseline to find its rate")
		}
		full, err := c.measure(ctx, res.row, &base.peer, ld)
		if err != nil {
			return err
		}
		ld.Rate = full.OpsPerSec / 2
	}
	rounds, paired := c.rounds, c.against && res.lasts()
	if res.Rounds > 0 && !paired {
		least := res.Rounds
		if c.against {
			least = max(least, 2)
		}
		rounds = min(rounds, least)
	}
	for round := range rounds {
		if paired {
			if err := c.inPairs(ctx, res, ld, round, c.pairs*(round+1)/rounds-c.pairs*round/rounds); err != nil {
				return err
			}
			continue
		}
		for k := range res.peers {
			// The order changes from round to round, so that no server always follows the same one.
			p := &res.peers[(k+round)%len(res.peers)]
			key := fmt.Sprintf("%s %s %d x%v", res.Name, p.Name, round+1, c.scale)
			if c.kept.found(key, p) {
				continue
			}
			if err := c.once(ctx, res.row, p, ld); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			if err := c.kept.keep(key, p); err != nil {
				return err
			}
			warn("%-16s round %d  %-16s %s", res.Name, round+1, p.Name, p.last(res.row))
		}
	}
	return nil
}

// warn tells people on the terminal; results go to standard output alone.
func warn(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// last tells of the last measurement.
func (p *peerResult) last(r *row) string {
	if p.absent != "" {
		return p.absent
	}
	var all []string
	res := p.rounds[len(p.rounds)-1]
	for _, m := range r.shown() {
		all = append(all, m.show(m.of(res)))
	}
	if res.OthersCPU > othersAllowed {
		all = append(all, fmt.Sprintf("disturbed: others use %.2f processors", res.OthersCPU))
	}
	return strings.Join(all, "  ")
}

// once measures a server once: its own reference first, where the row has one.
func (c *comparer) once(ctx context.Context, r *row, p *peerResult, ld load.Load) error {
	if p.absent != "" {
		return nil
	}
	loads := []load.Load{ld}
	if r.Own != nil {
		loads = append(loads, timed(*r.Own, c.warmup, c.duration))
	}
	for i, ld := range slices.Backward(loads) {
		res, err := c.measure(ctx, r, &p.peer, ld)
		switch {
		case (errors.Is(err, server.ErrNotStarted) || errors.Is(err, peers.ErrOut)) && ctx.Err() == nil:
			// It may be too old for the row's flags; the others are not.
			p.absent = err.Error()
			return nil
		case err != nil:
			return err
		case i > 0:
			p.own = append(p.own, res)
		default:
			p.rounds = append(p.rounds, res)
		}
	}
	return nil
}

// measure repeats a measurement that was disturbed, and keeps the least disturbed. One that fills a disk for minutes
// is not repeated: the next would be no calmer.
func (c *comparer) measure(ctx context.Context, r *row, p *peer, ld load.Load) (best *load.Result, err error) {
	repeats := c.repeats
	if ld.Kind == load.Restart && ld.Backlog > 0 {
		repeats = 0
	}
	how := c.how(r, p)
	once := how.Once
	if p.other != nil {
		once = peers.How{Peer: p.other, Pinned: how.Pinned, Data: c.data, Settle: c.settle, Within: c.within}.Once
	}
	for n := 0; n <= repeats && (best == nil || best.OthersCPU > othersAllowed); n++ {
		res, err := once(ctx, ld)
		if errors.Is(err, load.ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || res.OthersCPU < best.OthersCPU {
			best = res
		}
	}
	if best == nil {
		return nil, load.ErrNothing
	}
	if best.Stall != nil && p.ours && how.Pinned && !c.against {
		// No server on these processors can avoid the waits of a client of a bare loop: the machine uses them for
		// other things now and then.
		took := time.Duration(best.Stall.TookSec*float64(time.Second)) + load.Aftermath
		how.Command, how.Config = bareCommand, ""
		bare, err := how.Once(ctx, timed(load.Of(load.Load{Connections: 1}), 0, took))
		if err != nil {
			return nil, err
		}
		best.Stall.BareUs = bare.Latency.Max
	}
	return best, nil
}

// how says how a peer is started for a row, and how the row is measured.
func (c *comparer) how(r *row, p *peer) measure.How {
	h := measure.How{Pinned: c.pin && !r.Unpinned, Settings: load.Settings{Wait: r.Wait, Settle: c.settle}}
	h.Command, h.Data = p.Command+" "+r.Everybody, c.data
	if p.ours {
		if r.Load.TLS {
			h.Command = strings.Replace(h.Command, listen, "", 1) // -l would replace the addresses of the file
		}
		h.Command, h.Config = h.Command+" "+r.Flags, r.Config
	}
	return h
}
