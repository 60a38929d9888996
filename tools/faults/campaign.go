package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/tools/faults/history"
	"beanfield/tools/faults/tube"
	"beanfield/tools/faults/workload"
	"beanfield/tools/nodes"
)

// options are what the tool is asked for.
type options struct {
	seed   uint64
	faults int
	time   time.Duration
	within time.Duration
	gap    time.Duration // for which clients may be without service while a majority is well; 0: it is only told
	only   string
	nodes  int // one is a server without others
	dir    string
	binary string
	out    io.Writer
	scale  float64 // of the times that harms last; tests have less
}

const (
	clients = 8 // that put and reserve
	shards  = 2
)

// spare is a node that is not there in the beginning.
var spare = []string{"d"}

// campaign is one run.
type campaign struct {
	options
	dice    *rand.Rand
	cluster *nodes.Cluster
	seeker  *workload.Seeker
	ledger  *history.Ledger
	begun   time.Time

	called   string          // what the present harm is called, if it is several
	done     map[string]int  // harms, by name
	met      int             // of these in the middle of a change
	worst    history.Stretch // without service, over all
	lasted   time.Duration   // all harms, and what was between them
	found    []string        // broken promises that are no part of the histories
	meets    []harm          // what may happen in the middle of a change
	changing atomic.Pointer[nodes.Node]

	mu      sync.Mutex
	present *workload.Seeker      // of the nodes that the cluster has
	counted []*nodes.Node         // these
	well    map[*nodes.Node]int64 // the processes of those that are
	era     context.Context       // ends when these change
	end     func()
	trials  []*workload.Trial
	gaps    map[string][]history.Stretch // by harm and whose it was: the longest times without an acknowledged put
	silent  map[string][]history.Stretch // likewise those of a client, whose node was not harmed, without an answer
	harmed  []*nodes.Node                // by the present harm
	spoiled map[string]bool              // nodes whose disks were harmed
}

// patience is how long clients wait for an answer.
const patience = 4 * time.Second

func run(ctx context.Context, o options) (err error) {
	c := &campaign{options: o, dice: rand.New(rand.NewPCG(o.seed, 0)), ledger: history.NewLedger(), begun: time.Now(),
		gaps: map[string][]history.Stretch{}, silent: map[string][]history.Stretch{}, spoiled: map[string]bool{},
		done: map[string]int{}, well: map[*nodes.Node]int64{}}
	of := nodes.Options{Binary: o.binary, Dir: o.dir, Names: nodes.Default[:o.nodes], Proxied: true, Shards: shards,
		Storage: "log_size = '1MiB'", Limits: fmt.Sprintf("max_job_size = %d", workload.LongestBody)}
	if o.nodes > 1 {
		of.Spare = spare
	}
	c.cluster, err = nodes.New(of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.cluster.Close()) }()
	c.seeker = &workload.Seeker{Patience: patience, Serves: c.serves}
	for _, n := range c.cluster.Nodes {
		c.seeker.Hosts = append(c.seeker.Hosts, n.Client)
	}
	if err := c.cluster.Start(); err != nil {
		return err
	}
	first, cancel := context.WithTimeout(ctx, o.within)
	defer cancel()
	n, err := c.cluster.Serving(first)
	if err != nil {
		return c.stuck(err)
	}
	c.say("node %s serves; seed %d", n.Name, o.seed)
	if err := c.introduce(ctx); err != nil {
		return fmt.Errorf("before clients come: %w", err)
	}
	if err := c.load(ctx); err != nil {
		return err
	}
	return c.verdict(ctx)
}

// serves names the node that has a process.
func (c *campaign) serves(pid int) string {
	if n := c.cluster.Process(pid); n != nil {
		return n.Name
	}
	return fmt.Sprintf("process %d", pid)
}

func (c *campaign) say(format string, args ...any) {
	fmt.Fprintf(c.out, "%7.1fs  %s\n", time.Since(c.begun).Seconds(), fmt.Sprintf(format, args...))
}

// load has clients at work while harm is done.
func (c *campaign) load(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	c.turn(working)
	for _, n := range c.counted {
		c.well[n] = n.Up()
	}
	var all sync.WaitGroup
	for role := range clients {
		all.Go(func() { workload.Work(working, c.seeker.At(role), c.ledger, c.seed, role) })
	}
	for n := range tryers {
		all.Go(func() { c.try(working, n) })
	}
	all.Go(func() { c.watch(working) })
	for _, n := range c.cluster.Nodes {
		all.Go(func() { c.nurse(working, n) })
	}
	err := c.harmAll(ctx)
	c.lasted = c.ledger.Now()
	stop()
	all.Wait()
	return err
}

// tryers is how many short histories are made at a time.
const tryers = 2

// try has short histories of tubes made, one after the other.
func (c *campaign) try(ctx context.Context, n int) {
	for ; ctx.Err() == nil; n += tryers {
		c.mu.Lock()
		t, era := workload.NewTrial(c.present, fmt.Sprintf("trial-%d", n), c.ledger.Now), c.era
		c.trials = append(c.trials, t)
		c.mu.Unlock()
		t.Play(era, c.seed*1_000_003+uint64(n))
	}
}

// settleWithin bounds the end of a run: jobs have a TTR of two minutes at most.
const settleWithin = 4 * time.Minute

// verdict looks at what is left, and checks all histories.
func (c *campaign) verdict(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	found, undecided := c.found, 0
	for _, t := range c.trials {
		began, err := t.Drain(ctx, c.dice)
		if err != nil {
			return c.stuck(fmt.Errorf("drain: %w", err))
		}
		switch t.Check(began, checkWithin) {
		case tube.Wrong:
			found = append(found, "FR9: no order of these explains the answers: "+t.String())
		case tube.Undecided:
			undecided++
		}
	}
	differences, err := c.compare(ctx)
	if err != nil {
		return c.stuck(fmt.Errorf("compare the nodes: %w", err))
	}
	found = append(found, differences...)
	if err := workload.Settle(ctx, c.seeker, c.ledger); err != nil {
		return c.stuck(fmt.Errorf("what is left: %w", err))
	}
	for _, f := range c.ledger.Check() {
		found = append(found, f.String())
	}
	if len(found) > 0 {
		return c.failed(found)
	}
	n := c.ledger.Counts()
	harms := 0
	for _, what := range slices.Sorted(maps.Keys(c.gaps)) {
		c.say("%s: %d times; longest time without an acknowledged put: %s; of a client elsewhere without an answer: %s",
			what, len(c.gaps[what]), spread(c.gaps[what]), spread(c.silent[what]))
		harms += len(c.gaps[what])
	}
	c.say("harms: %v, %d of them in the middle of a change; longest time without service: %.2fs, while a majority was "+
		"well %.2fs; one was for %.0f%% of the time", c.done, c.met, c.worst.All.Seconds(), c.worst.Well.Seconds(),
		100*n.Well.Seconds()/c.lasted.Seconds())
	c.say("seed %d: %d harms; %d answers (%d puts, %d reserves, %d deletes acknowledged), %d without an answer, on "+
		"%d connections; "+
		"%d tubes in an order that can be (%d undecided); nothing was lost", c.seed, harms, n.Answers,
		n.Acked[history.Put],
		n.Acked[history.Reserve], n.Acked[history.Delete], n.Unanswered, n.Connections, len(c.trials), undecided)
	return nil
}

// spread is what is told of the longest times of some harms.
func spread(times []history.Stretch) string {
	if len(times) == 0 {
		return "-"
	}
	slices.SortFunc(times, func(a, b history.Stretch) int { return cmp.Compare(a.All, b.All) })
	return fmt.Sprintf("median %.2fs, worst %.2fs", times[len(times)/2].All.Seconds(),
		times[len(times)-1].All.Seconds())
}

// checkWithin bounds the look for an order of a short history.
const checkWithin = 10 * time.Second

// shown is how many findings of each rule are printed. All are in a file beside the nodes' directories.
const shown = 2

func (c *campaign) failed(found []string) error {
	counts, text := map[string]int{}, ""
	for _, f := range found {
		rule, _, _ := strings.Cut(f, ":")
		if counts[rule]++; counts[rule] <= shown {
			text += "\n" + f
		}
	}
	err := fmt.Errorf("broken promises, by rule: %v%s", counts, text)
	return errors.Join(err, os.WriteFile(filepath.Join(c.dir, "findings"), []byte(strings.Join(found, "\n")), 0o600))
}

// stuck has the nodes say in their logs what all their goroutines do.
func (c *campaign) stuck(err error) error {
	if s, e := c.cluster.Status(context.Background()); e == nil {
		err = fmt.Errorf("%w\nthe status is %s", err, s.Text)
	}
	for _, n := range c.cluster.Nodes {
		if n.Running() {
			_ = n.Resume()
			_ = n.Quit()
		}
	}
	return err
}

var errStill = errors.New("FL1: the clients do not get on")

// await waits until something is so. A machine that stands still as a whole for minutes, as virtual
// ones do now and then, is no fault of the nodes: each look counts as a second at most.
func await(ctx context.Context, within, pace time.Duration, so func() (bool, error)) (bool, error) {
	before := time.Now()
	for spent := time.Duration(0); spent < within && ctx.Err() == nil; {
		if ok, err := so(); ok || err != nil {
			return ok, err
		}
		last(ctx, pace)
		now := time.Now()
		spent += min(now.Sub(before), time.Second)
		before = now
	}
	return false, ctx.Err()
}

// goOn waits until all clients are answered again, and new jobs are put.
func (c *campaign) goOn(ctx context.Context) error {
	const enough = 20
	from, before := c.ledger.Counts().Acked[history.Put], c.ledger.Served()
	ok, err := await(ctx, c.within, look, func() (bool, error) {
		now := c.ledger.Served()
		for role := range clients {
			if !c.home(role).Out && now[role].Answers == before[role].Answers {
				return false, c.revive()
			}
		}
		return c.ledger.Counts().Acked[history.Put] >= from+enough, c.revive()
	})
	if err == nil && !ok {
		err = c.stuck(errStill)
	}
	return err
}

// look is how often somebody looks whether something has happened.
const look = 20 * time.Millisecond

var errBroken = errors.New("a promise is broken")

var errEnded = errors.New("FL2: a node has ended by itself")

// revive is an error if a promise was seen to be broken, or a node has ended by itself. One whose disk was harmed may
// have found that only now; it gets an empty directory.
func (c *campaign) revive() error {
	if broken := c.ledger.Broken(); len(broken) > 0 {
		for _, n := range c.cluster.Nodes {
			n.Kill() // their logs still show what has happened
		}
		return fmt.Errorf("%w: %v", errBroken, broken)
	}
	for _, n := range c.cluster.Nodes {
		err := n.Ended()
		if err == nil {
			continue
		}
		if n == c.changing.Load() { // it was removed, and waits when it is started again, as by a service manager
			if err := n.Start(); err != nil {
				return err
			}
			continue
		}
		if !c.spoiled[n.Name] {
			return fmt.Errorf("%w: %s: %w", errEnded, n.Name, err)
		}
		c.say("    node %s has ended, and gets an empty directory: %v", n.Name, err)
		delete(c.spoiled, n.Name)
		if err := errors.Join(n.Lose(), n.Start()); err != nil {
			return err
		}
	}
	return nil
}
