package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A comparison is the outcome of one run of bench compare.
type comparison struct {
	Date    string      `json:"date"`
	Machine machine     `json:"machine"`
	Command string      `json:"command"`
	Rounds  int         `json:"rounds"`
	Seconds float64     `json:"seconds"`
	Peers   []peer      `json:"peers"`
	Rows    []rowResult `json:"rows"`
}

// A rowResult holds what every peer did under one load.
type rowResult struct {
	Name   string       `json:"name"`
	Title  string       `json:"title"`
	Peers  []peerResult `json:"peers"`
	Pinned bool         `json:"pinned"`
	row    row
}

// A peerResult holds one result a round; Own those of the load that the row is
// compared with, where that is one of the same server.
type peerResult struct {
	Name   string    `json:"name"`
	Rounds []*result `json:"rounds"`
	Own    []*result `json:"own,omitempty"`
	Absent string    `json:"absent,omitempty"` // why it could not take part
	peer   peer
}

// A comparer is a comparison being made.
type comparer struct {
	peers    []peer
	pinning  pinning
	rounds   int
	repeats  int // of a measurement that others on the machine disturbed
	warmup   time.Duration
	duration time.Duration
	seed     uint64
	calm     time.Duration // wait so long at most for a quiet machine
	settle   time.Duration // given to a server before its memory is read
	scale    float64       // of the jobs that rows put beforehand; 0 is 1
	syscalls bool
	data     string
	rows     []row
	out      comparison
}

type compareFlags struct {
	comparer
	rowList, beanfield, beanstalkd string
	extra                          []peer
	echo, write, json              bool
	dir                            string
}

func compareMain(ctx context.Context, args []string) error {
	var c compareFlags
	f := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	c.pinning.flags(f)
	f.StringVar(&c.rowList, "rows", firstSet, "`loads`, with commas: first, persistence, stalls, all, "+rowNames())
	f.IntVar(&c.rounds, "rounds", 3, "rounds of each row; in each, every server is measured once")
	f.DurationVar(&c.duration, "time", 2*time.Second, "length of one measurement")
	f.DurationVar(&c.warmup, "warmup", 300*time.Millisecond, "unmeasured time before it")
	f.IntVar(&c.repeats, "repeats", 2, "repeat a measurement up to so often when others use the machine")
	f.DurationVar(&c.calm, "calm", 0, "before each measurement, wait up to so long until others leave the machine alone")
	f.Float64Var(&c.scale, "scale", 1, "`times` as many jobs put beforehand as the rows say, to try them quickly")
	f.Uint64Var(&c.seed, "seed", 1, "seed of everything drawn at random")
	f.StringVar(&c.beanfield, "beanfield", "", "beanfield's `program`; default: built from this module")
	f.StringVar(&c.beanstalkd, "beanstalkd", "", "beanstalkd's `program`; default: the installed one, else Debian's, fetched")
	f.Func("peer", "a further server: `name=command`, or name@always=command; {port} and {dir} are filled in; may be repeated",
		func(s string) error {
			p, err := parsePeer(s)
			c.extra = append(c.extra, p)
			return err
		})
	f.BoolVar(&c.echo, "echo", true, "measure a bare echo server too")
	f.BoolVar(&c.syscalls, "syscalls", false, "count the servers' system calls in the first round")
	f.StringVar(&c.data, "data", "", "`directory` for the servers' data; default: the system's for temporary files")
	f.BoolVar(&c.json, "json", false, "print JSON instead of Markdown")
	f.BoolVar(&c.write, "write", false, "write results.md and results.svg")
	f.StringVar(&c.dir, "out", "tools/bench", "where -write writes them")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || c.rounds < 1 || c.repeats < 0 || c.scale <= 0 {
		return errors.New("bench compare takes no arguments besides flags, at least one round, and a positive scale")
	}
	c.settle = settle
	c.out.Command = "bench compare " + strings.Join(args, " ")
	return c.main(ctx)
}

func (c *compareFlags) main(ctx context.Context) error {
	var err error
	if c.rows, err = chooseRows(c.rowList); err != nil {
		return err
	}
	if err := raiseFileLimit(); err != nil {
		return err
	}
	if c.beanstalkd == "" {
		if c.beanstalkd, err = findBeanstalkd(ctx, warn); err != nil {
			return err
		}
	}
	if c.beanfield == "" {
		dir, err := os.MkdirTemp("", "bench-build-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if c.beanfield, err = buildBeanfield(ctx, dir); err != nil {
			return err
		}
	}
	c.peers = append(standardPeers(c.beanfield, c.beanstalkd, c.echo), c.extra...)
	if err := c.compare(ctx); err != nil {
		// What was measured until then may have taken hours: show it, do not keep it.
		c.write = false
		if len(c.out.Rows) > 0 {
			err = errors.Join(err, c.publish())
		}
		return err
	}
	return c.publish()
}

func (c *compareFlags) publish() error {
	if c.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", " ")
		if err := e.Encode(c.out); err != nil {
			return err
		}
	} else {
		fmt.Print(c.out.markdown())
	}
	if !c.write {
		return nil
	}
	return errors.Join(
		os.WriteFile(c.dir+"/results.md", []byte(c.out.markdown()), 0o644),
		os.WriteFile(c.dir+"/results.svg", []byte(c.out.chart()), 0o644))
}

// compare measures row by row, round by round, and in each round every server once.
func (c *comparer) compare(ctx context.Context) error {
	c.out.Date = time.Now().Format("2006-01-02")
	c.out.Machine = thisMachine()
	c.out.Rounds, c.out.Seconds = c.rounds, c.duration.Seconds()
	warn("%d rows, about %v; longer when others use the machine", len(c.rows), c.estimate().Round(time.Second))
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
	res := &rowResult{Name: r.name, Title: r.title, Pinned: c.pinned(r), row: *r}
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
			// The order turns from round to round: none always follows the same one.
			p := &res.Peers[(k+round)%len(res.Peers)]
			if p.Absent != "" {
				continue
			}
			err := c.peerRound(ctx, r, p, ld, round)
			if errors.Is(err, errNotStarted) && ctx.Err() == nil {
				// It may not know this way of running yet; the others do.
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
func (c *comparer) peerRound(ctx context.Context, r *row, p *peerResult, ld load, round int) error {
	var own *result
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
func (c *comparer) halfRate(ctx context.Context, r *row, res *rowResult, ld *load) error {
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
	return c.pinning.on && !r.unpinned && runtime.NumCPU() > 1
}

// disturbed is the share of a processor that others may use before a measurement is
// repeated.
const disturbed = 0.10

// measure repeats a measurement that was disturbed, and keeps the least disturbed.
func (c *comparer) measure(ctx context.Context, r *row, p *peerResult, ld load, round int) (*result, error) {
	var best *result
	for range ld.repeats(c.repeats) + 1 {
		if err := awaitCalm(ctx, c.calm); err != nil {
			return nil, err
		}
		res, err := c.once(ctx, r, p, ld, round)
		if errors.Is(err, errNothing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || res.OthersCPU < best.OthersCPU {
			best = res
		}
		if best.OthersCPU <= disturbed {
			break
		}
	}
	if best == nil {
		return nil, errNothing
	}
	return best, nil
}

func (c *comparer) once(ctx context.Context, r *row, p *peerResult, ld load, round int) (*result, error) {
	pinned := c.pinned(r)
	how := launch{command: p.peer.Command, data: c.data}
	if r.everybody != "" {
		how.command += " " + r.everybody
	}
	if p.Name == nameBeanfield && r.flags != "" {
		how.command, how.config = how.command+" "+r.flags, r.config
	}
	set := settings{
		threads: 1, spin: pinned, syscalls: c.syscalls && round == 0,
		settle: c.settle, calm: c.calm, say: func(string, ...any) {},
	}
	res, err := c.pinning.measureNew(ctx, pinned, how, p.peer.echo, ld, set)
	if err != nil {
		return nil, err
	}
	if res.Stalls != nil && p.Name == nameBeanfield && pinned {
		bare, err := longestAnswer(c.pinning.server, c.pinning.ownCPUs, res.Stalls.lasted())
		if err != nil {
			return nil, err
		}
		res.Stalls.BareUs = float64(bare) / 1e3
	}
	warn("%-16s round %d  %-16s %s", r.name, round+1, p.Name, res.brief())
	return res, nil
}
