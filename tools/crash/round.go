package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/tools/server"
)

// options are what the tool is asked for.
type options struct {
	kills  int
	seed   uint64
	dir    string   // where the data directory is made
	server []string // with beanfield's flags to be added
	conns  int
	pause  time.Duration // from one kill to the next, at most
	moving time.Duration // how long a job may be on its way to another shard
	places int           // to damage
	out    io.Writer
}

// campaign is a series of kills, of servers on one data directory.
type campaign struct {
	options
	dice   *rand.Rand
	data   string
	l      *ledger
	server *server.Launched
	queue  *queueService
	first  uint64 // no id below it is new since the last start

	longest time.Duration // a start
	flying  int
}

// run kills the server as often as asked, and stops it cleanly once.
func run(ctx context.Context, o options) error {
	c := &campaign{options: o, dice: rand.New(rand.NewPCG(o.seed, 1)), data: filepath.Join(o.dir, "data"),
		l: newLedger(), first: 1}
	if err := os.Mkdir(c.data, 0o755); err != nil {
		return err
	}
	begun := time.Now()
	defer func() {
		if c.server != nil {
			c.server.End(syscall.SIGKILL) // which does no harm to one that has ended
		}
	}()
	for n := 0; n <= o.kills+1; n++ {
		if err := c.start(ctx, n); err != nil {
			return fmt.Errorf("seed %d, after kill %d: %w", o.seed, n, err)
		}
		if n > 0 {
			if err := c.check(n > o.kills); err != nil {
				return fmt.Errorf("seed %d, after kill %d: %w", o.seed, n, err)
			}
		}
		if n > o.kills {
			break
		}
		c.load(n)
	}
	if err := c.checkOrder(); err != nil {
		return fmt.Errorf("seed %d, at the end: %w", o.seed, err)
	}
	fmt.Fprintf(o.out, "seed %d: %d kills in %.1f s; %d answers, %d items, %d moves, %d commands in flight at a "+
		"kill, ids up to %d, "+
		"%d jobs at the end; longest start %v; nothing was lost\n", o.seed, o.kills, time.Since(begun).Seconds(),
		c.l.answers, c.l.items.Load(), c.l.moves.Load(), c.flying, c.l.highest, c.l.living(),
		c.longest.Round(time.Millisecond))
	return nil
}

// start starts a server, sometimes with another number of shards, with little memory for
// bodies, and with short logs, so that their turns go to tables all the time.
func (c *campaign) start(ctx context.Context, n int) error {
	config := "[storage]\n"
	for _, key := range []string{"memory_budget = '64KiB'", "log_size = '1MiB'"} {
		if c.dice.IntN(2) == 0 {
			config += key + "\n"
		}
	}
	command := fmt.Sprintf("%s -b %s -shards %d -config {config} -queue 127.0.0.1:{queue}",
		strings.Join(c.options.server, " "), c.data, c.shards(n))
	begun := time.Now()
	s, err := startServer(ctx, server.Launch{Command: command, Config: config + policies, Data: c.dir})
	if err != nil {
		return err
	}
	c.server, c.queue, c.longest = s, &queueService{addr: s.Queue}, max(c.longest, time.Since(begun))
	return nil
}

// startServer runs a server on a port of its own. The connection that it has answered is not needed.
func startServer(ctx context.Context, how server.Launch) (*server.Launched, error) {
	how.Command += " -l 127.0.0.1 -p {port}"
	s, conn, err := how.Run(ctx)
	if err != nil {
		return nil, err
	}
	return s, conn.Close()
}

// shards stays the same for a few restarts, then changes.
func (c *campaign) shards(n int) int {
	return []int{2, 2, 5, 5, 1, 3, 3, 9, 2, 2}[n%10]
}

// load lets the connections work until the kill, and reads what was answered.
func (c *campaign) load(n int) {
	var killed atomic.Bool
	var all sync.WaitGroup
	for i := range c.conns {
		all.Go(func() { play(c.l, c.server.Addr, c.queue, c.seed+uint64(n)<<32, i, &killed) })
	}
	span := c.pause/10 + time.Duration(c.dice.Int64N(int64(c.pause)))
	timer := time.NewTimer(span)
	select {
	case <-timer.C:
	case <-c.server.Exited():
	}
	timer.Stop()
	if err := c.server.Died(); err != nil {
		c.l.failf("%v", err)
	}
	killed.Store(true)
	if n < c.kills {
		c.server.End(syscall.SIGKILL)
	} else {
		c.server.End(syscall.SIGTERM) // the last end is an orderly one
	}
	all.Wait()
}

// check compares what the server has with the ledger. The last time it asks for
// every id that there ever was.
func (c *campaign) check(everything bool) error {
	if err := c.failures(); err != nil {
		return err
	}
	killed := time.Now()
	if everything {
		c.first = 1
	}
	s, err := c.observeAll()
	if err != nil {
		return fmt.Errorf("%w; the server said: %s", err, c.server.Said())
	}
	if s.count != int64(len(s.jobs)) { // a deleted job is back: find it
		if s, err = observe(c.server.Addr, nil, 1); err != nil {
			return err
		}
	}
	s.killed = killed
	c.flying += c.l.inFlight()
	c.l.settle(s)
	c.first = s.probe
	if err := c.failures(); err != nil {
		return err
	}
	if err := c.l.repeat(c.server.Addr); err != nil {
		return err
	}
	if err := c.queue.checkTags(c.l, s); err != nil {
		return err
	}
	return c.failures()
}

// observeAll looks at everything when no job is on its way to another shard any more.
func (c *campaign) observeAll() (*snapshot, error) {
	for end := time.Now().Add(c.moving); ; {
		s, err := observe(c.server.Addr, c.l.known(), c.first)
		if err != nil || !c.l.travelling(s) || time.Now().After(end) {
			return s, err
		}
	}
}

// travelling says that a job is not there that has, perhaps, begun to move.
func (l *ledger) travelling(s *snapshot) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.alive, func(j *job) bool {
		return j.moved && s.jobs[j.id] == nil && !slices.ContainsFunc(j.could, func(v version) bool {
			return v.state == gone
		})
	})
}

// inFlight counts the commands without an answer.
func (l *ledger) inFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.born)
	for _, j := range l.alive {
		n += len(j.could) - 1
	}
	return n
}

// checkOrder takes all buried jobs out, one by one.
func (c *campaign) checkOrder() error {
	conn, err := dial(c.server.Addr)
	if err != nil {
		return err
	}
	defer conn.HangUp()
	for _, t := range tubes {
		for _, j := range c.l.inOrder(t) {
			r, err := conn.Exchange("use "+t, "peek-buried", "kick 1")
			if err != nil {
				return err
			}
			if r[1].Number != j.id || r[2].Number != 1 {
				c.l.failf("tube %s: buried first should be job %d; peek-buried says %q, kick 1 says %q", t, j.id,
					r[1].Line, r[2].Line)
				return c.failures()
			}
		}
	}
	return nil
}

// failures is what the ledger has found, in short.
func (c *campaign) failures() error {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if len(c.l.failures) == 0 {
		return nil
	}
	text := ""
	for i, f := range c.l.failures {
		if i == 10 {
			text += fmt.Sprintf("\nand %d more", len(c.l.failures)-i)
			break
		}
		text += "\n" + f
	}
	return fmt.Errorf("%d failures:%s", len(c.l.failures), text)
}
