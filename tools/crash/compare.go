package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
	"beanfield/tools/server"
)

// What is not compared literally, because the reference does not keep it across a
// restart, or makes no promise:
//
//   - ids: it gives them away again after a restart. A job is known by the order
//     of its put; each server is asked by its own id.
//   - A release without delay is not in its log, so priority and counters go
//     back: not used.
//   - Each restart adds one to buries of a buried job, which reaches its log only
//     when it rewrites the job: between the two, what it says after a start counts.
//   - Jobs buried before a restart come back in the order of their puts, not in that
//     of their buries: until they are kicked, their tube's peek-buried is not compared,
//     and a kick is always for all of them.
//   - file in stats-job is the number of its log file; age and time-left are
//     truncated seconds, asked at two moments; list-tubes has another order after
//     a restart.
//   - When it moves a job to another log file it writes everything it knows, so some
//     reserves survive: after a start its count may be higher. For the same reason
//     reserve-job is not used for buried and delayed jobs: their state after a restart
//     depends on whether they were moved.

// shared is a job that both servers have.
type shared struct {
	ids   [2]uint64
	tube  string
	alive bool
	// Where both logs have it, and in which life it was buried there.
	logged state
	since  int
	most   int // by how much the reference's buries exceed beanfield's, at most
	least  int // the same, at least
	ahead  int // by how much its reserves do
	learnt int // the life in which that was looked at
	inLog  int // by how much they do in the reference's log, at least
}

// comparison is beanfield and its reference, side by side.
type comparison struct {
	options
	dice     *rand.Rand
	commands [2][]string
	servers  [2]*server.Launched
	conns    [2]*client.Client
	jobs     []*shared
	byID     [2]map[uint64]*shared // of the living
	life     int
	used     string
	done     []string
	asked    int
}

var sides = [2]string{"beanstalkd", "beanfield"}

// compare restarts both servers as often as was asked.
func compare(ctx context.Context, o options, peer string) (err error) {
	c := &comparison{options: o, dice: rand.New(rand.NewPCG(o.seed, 1)), byID: [2]map[uint64]*shared{{}, {}}}
	for i, command := range [2][]string{{peer}, o.server} {
		data := filepath.Join(o.dir, "data-"+sides[i])
		if err := os.Mkdir(data, 0o755); err != nil {
			return err
		}
		c.commands[i] = append(slices.Clone(command), "-b", data, "-f", "0")
	}
	begun := time.Now()
	defer func() {
		c.stop(syscall.SIGKILL)
		if err != nil {
			done := c.done[max(0, len(c.done)-150):]
			err = fmt.Errorf("seed %d, life %d: %w\nwhat was done:\n  %s", o.seed, c.life, err,
				strings.Join(done, "\n  "))
		}
	}()
	for ; c.life <= o.kills; c.life++ {
		if err := c.start(ctx); err != nil {
			return err
		}
		if err := c.compareAll(); err != nil {
			return err
		}
		for range 300 {
			if err := c.step(); err != nil {
				return err
			}
		}
		c.stop([]os.Signal{syscall.SIGKILL, syscall.SIGTERM}[c.life%2])
		c.restarted()
	}
	fmt.Fprintf(o.out, "seed %d: %d restarts of both servers in %.1f s, %d jobs, %d replies compared: no difference\n",
		o.seed, o.kills, time.Since(begun).Seconds(), len(c.jobs), c.asked)
	return nil
}

func (c *comparison) start(ctx context.Context) error {
	for i := range sides {
		p, err := startServer(ctx, server.Launch{Command: strings.Join(c.commands[i], " "), Data: c.dir})
		if err != nil {
			return err
		}
		c.servers[i] = p
		if c.conns[i], err = dial(p.Addr); err != nil {
			return err
		}
	}
	c.used = "default"
	return nil
}

func (c *comparison) stop(sig os.Signal) {
	for i := range sides {
		if c.conns[i] != nil {
			c.conns[i].HangUp()
			c.servers[i].End(sig)
			c.conns[i] = nil
		}
	}
	c.done = append(c.done, fmt.Sprintf("%v, restart", sig))
}

// restarted notes what the reference does to buried jobs when it starts.
func (c *comparison) restarted() {
	for _, j := range c.jobs {
		j.least = j.inLog
		if j.alive && j.logged == buried {
			j.most++
			j.least++
		}
	}
}

// both asks both servers, each with its own id for a job, and makes the replies
// comparable: ids become the jobs' numbers.
func (c *comparison) both(j *shared, format string, args ...any) (r [2]client.Reply, err error) {
	for i := range sides {
		command := fmt.Sprintf(format, args...)
		if j != nil {
			command = strings.ReplaceAll(command, "ID", fmt.Sprint(j.ids[i]))
		}
		if i == 1 {
			c.done = append(c.done, fmt.Sprintf("%.60s", strings.Trim(strconv.Quote(command), `"`)))
		}
		all, err := c.conns[i].Exchange(command)
		if err != nil {
			return r, fmt.Errorf("%s, %q: %w; it said: %s", sides[i], command, err, c.servers[i].Said())
		}
		r[i] = all[0]
		if w := r[i].Word; w == "RESERVED" || w == "FOUND" {
			r[i].Line = fmt.Sprintf("%s of job %d, %d bytes", w, slices.Index(c.jobs, c.byID[i][r[i].Number]),
				len(r[i].Body))
		}
	}
	c.asked++
	if r[0].Word == "INSERTED" && r[1].Word == "INSERTED" || r[0].Word == "OK" && r[1].Word == "OK" {
		return r, nil // compared by the caller
	}
	if r[0].Line != r[1].Line || string(r[0].Body) != string(r[1].Body) {
		return r, fmt.Errorf("beanstalkd says %q, beanfield %q", r[0].Line, r[1].Line)
	}
	return r, nil
}

// one draws a living job.
func (c *comparison) one() *shared {
	for range 100 {
		if len(c.jobs) == 0 {
			return nil
		}
		if j := c.jobs[c.dice.IntN(len(c.jobs))]; j.alive {
			return j
		}
	}
	return nil
}

// step is one command. What it wrote is in both logs.
func (c *comparison) step() error {
	n := c.dice.IntN(100)
	tube := tubes[c.dice.IntN(len(tubes))]
	j := c.one()
	switch {
	case n < 10:
		c.used = tube
		return c.same("use %s", tube)
	case n < 16:
		return c.same("%s %s", []string{"watch", "watch", "ignore"}[c.dice.IntN(3)], tube)
	case n < 35 || j == nil:
		return c.put()
	case n < 50:
		return c.same("reserve-with-timeout 0")
	case n < 55:
		return c.kickAll()
	case n < 60:
		return c.same("%s", []string{"peek-ready", "peek-delayed"}[c.dice.IntN(2)])
	case n < 62:
		return c.peekBuried()
	}
	return c.about(j)
}

func (c *comparison) same(format string, args ...any) error {
	_, err := c.both(nil, format, args...)
	return err
}

// about is a command about one job.
func (c *comparison) about(j *shared) error {
	pri, delay := c.dice.IntN(3), 300+c.dice.IntN(100000)
	commands := []struct {
		text string
		next state // unborn: it is as it was
	}{
		{"delete ID", gone}, {fmt.Sprintf("bury ID %d", pri), buried}, {fmt.Sprintf("bury ID %d", pri), buried},
		{fmt.Sprintf("release ID %d %d", pri, delay), delayed}, {"kick-job ID", ready}, {"reserve-job ID", unborn},
		{"touch ID", unborn},
		{"stats-job ID", unborn},
	}
	n := c.dice.IntN(len(commands))
	command := commands[n]
	switch {
	case n == len(commands)-1:
		return c.statsJob(j)
	case command.text == "reserve-job ID" && j.logged != ready:
		return nil
	}
	r, err := c.both(j, "%s", command.text)
	if err == nil && command.next != unborn && r[0].Word != "NOT_FOUND" {
		c.log(j, command.next)
	}
	return err
}

// log notes what has been written to both logs.
func (c *comparison) log(j *shared, next state) {
	j.logged, j.since, j.inLog = next, c.life, j.most
	if j.logged == gone {
		j.alive = false
		for i := range sides {
			delete(c.byID[i], j.ids[i])
		}
	}
}

func (c *comparison) put() error {
	delay, logged := 0, ready
	if c.dice.IntN(4) == 0 {
		delay, logged = 300+c.dice.IntN(100000), delayed
	}
	body := marked.Body(uint64(len(c.jobs)+1), c.dice.IntN(500))
	r, err := c.both(nil, "put %d %d %d %d\r\n%s", c.dice.IntN(3), delay, 1000+c.dice.IntN(10), len(body), body)
	if err != nil {
		return err
	}
	j := &shared{ids: [2]uint64{r[0].Number, r[1].Number}, tube: c.used, alive: true, logged: logged, since: c.life,
		learnt: c.life}
	c.jobs = append(c.jobs, j)
	for i := range sides {
		c.byID[i][j.ids[i]] = j
	}
	return nil
}
