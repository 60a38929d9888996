package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/measure"
	"beanfield/tools/bench/result"
	"beanfield/tools/server"
)

// A comparison is the outcome of one run of bench compare.
type comparison struct {
	Date    string
	Machine machine.Machine
	Command string
	Rounds  int
	Seconds float64
	Peers   []peer
	Rows    []rowResult
}

// A rowResult holds what every peer did under one load.
type rowResult struct {
	Name  string
	Title string
	Peers []peerResult
	row   row
}

// A peerResult holds one result a round; Own those of the load that the row is
// compared with, where that is one of the same server.
type peerResult struct {
	Name   string
	Rounds []*result.Result
	Own    []*result.Result
	Absent string // why it could not take part
	peer   peer
}

// A comparer is a comparison being made.
type comparer struct {
	peers    []peer
	pinning  measure.Pinning
	rounds   int
	pairs    int // with -against, of each row
	repeats  int // of a measurement that others on the machine disturbed
	warmup   time.Duration
	duration time.Duration
	seed     uint64
	settle   time.Duration // how long a server has before its memory is read
	scale    float64       // of the jobs that rows put beforehand; 0 is 1
	data     string
	rows     []row
	out      comparison
}

// compare measures row by row, round by round, and in each round every server once.
func (c *comparer) compare(ctx context.Context) error {
	c.out.Date = time.Now().Format("2006-01-02")
	c.out.Machine = machine.This()
	c.out.Rounds, c.out.Seconds = c.rounds, c.duration.Seconds()
	for i := range c.rows {
		res, err := c.row(ctx, c.rows[i].scaled(c.scale))
		if err != nil {
			return fmt.Errorf("%s: %w", c.rows[i].name, err)
		}
		c.out.Rows = append(c.out.Rows, *res)
	}
	for _, p := range c.peers {
		if !slices.ContainsFunc(c.out.Rows, func(r rowResult) bool { return p.inRow(&r.row) }) {
			continue
		}
		p.Version = p.version(ctx)
		c.out.Peers = append(c.out.Peers, p)
	}
	return nil
}

func (c *comparer) row(ctx context.Context, r *row) (*rowResult, error) {
	res := &rowResult{Name: r.name, Title: r.title, row: *r}
	for _, p := range c.peers {
		if p.inRow(r) {
			res.Peers = append(res.Peers, peerResult{Name: p.Name, peer: p})
		}
	}
	ld := timed(r.load, c.warmup, c.duration, c.seed)
	if r.half {
		if err := c.halfRate(ctx, r, res, &ld); err != nil {
			return nil, err
		}
	}
	for round := range r.roundsOf(c.rounds) {
		for k := range res.Peers {
			// The order changes from round to round, so that no server always follows the same one.
			p := &res.Peers[(k+round)%len(res.Peers)]
			if p.Absent != "" {
				continue
			}
			err := c.peerRound(ctx, r, p, ld, round)
			if errors.Is(err, server.ErrNotStarted) && ctx.Err() == nil {
				// It may be too old for the row's flags; the others are not.
				p.Absent = err.Error()
				warn("%-16s %s: %v", r.name, p.Name, err)
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	return res, nil
}

// peerRound measures one server once: its own reference first, where the row has one.
func (c *comparer) peerRound(ctx context.Context, r *row, p *peerResult, ld load.Load, round int) error {
	var own *result.Result
	if r.own != nil {
		var err error
		if own, err = c.measure(ctx, r, p, timed(*r.own, c.warmup, c.duration, c.seed), round); err != nil {
			return err
		}
	}
	res, err := c.measure(ctx, r, p, ld, round)
	if err != nil {
		return err
	}
	p.Rounds = append(p.Rounds, res)
	if own != nil {
		p.Own = append(p.Own, own)
	}
	return nil
}

// halfRate finds what the baseline reaches at full speed.
func (c *comparer) halfRate(ctx context.Context, r *row, res *rowResult, ld *load.Load) error {
	for k := range res.Peers {
		if p := &res.Peers[k]; p.peer.baseline {
			full, err := c.measure(ctx, r, p, *ld, -1)
			if err != nil {
				return err
			}
			ld.Rate = full.OpsPerSec / 2
			return nil
		}
	}
	return errors.New("this row needs the baseline to find its rate")
}

func (c *comparer) pinned(r *row) bool {
	return c.pinning.On && !r.unpinned && runtime.NumCPU() > 1
}

// measure repeats a measurement that was disturbed, and keeps the least disturbed.
func (c *comparer) measure(ctx context.Context, r *row, p *peerResult, ld load.Load,
	round int) (*result.Result, error) {
	var best *result.Result
	for range ld.Repeats(c.repeats) + 1 {
		res, err := c.once(ctx, r, p, ld, round)
		if errors.Is(err, generator.ErrNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || res.OthersCPU < best.OthersCPU {
			best = res
		}
		if best.OthersCPU <= machine.OthersAllowed {
			break
		}
	}
	if best == nil {
		return nil, generator.ErrNothing
	}
	return best, nil
}

// how says how a peer is started for a row, and how the row is measured.
func (c *comparer) how(r *row, p *peer) (server.Launch, generator.Settings, error) {
	wait, err := measure.WaitFor(cmp.Or(r.wait, measure.WaitAuto), c.pinned(r))
	how := server.Launch{Command: p.Command, Data: c.data}
	if r.everybody != "" {
		how.Command += " " + r.everybody
	}
	if p.Name == nameBeanfield && r.flags != "" {
		if r.load.TLS {
			how.Command = strings.Replace(how.Command, listen, "", 1) // -l would replace the addresses of the file
		}
		how.Command, how.Config = how.Command+" "+r.flags, r.config
	}
	return how, generator.Settings{
		Wait: wait, Settle: c.settle, Say: func(string, ...any) {},
	}, err
}

func (c *comparer) once(ctx context.Context, r *row, p *peerResult, ld load.Load, round int) (*result.Result, error) {
	pinned := c.pinned(r)
	how, set, err := c.how(r, &p.peer)
	if err != nil {
		return nil, err
	}
	res, err := c.pinning.MeasureNew(ctx, pinned, how, ld, set)
	if err != nil {
		return nil, err
	}
	if res.Stalls != nil && p.Name == nameBeanfield && pinned {
		// No server on these processors can avoid the waits of a client of a bare loop: the machine uses them
		// for other things now and then.
		alone := timed(base(oneConnection), 0, res.Stalls.Lasted(), c.seed)
		bare, err := c.pinning.MeasureNew(ctx, pinned, server.Launch{Command: bareCommand}, alone, set)
		if err != nil {
			return nil, err
		}
		res.Stalls.BareUs = bare.Latency["all"].Max
	}
	warn("%-16s round %d  %-16s %s", r.name, round+1, p.Name, res.Brief())
	return res, nil
}
