package shard

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

const second = int64(time.Second)

var errBroken = errors.New("the log has failed")

// bench is a Shard, and what tests command around it: a clock, a directory and a log.
type bench struct {
	testing.TB
	sh    *Shard
	log   *benchLog
	dir   *hookDirectory
	start time.Time
	skew  atomic.Int64 // of the clock
	asked func()       // called whenever somebody asks for the time
	close func()       // ends the Shard, in which all must be whole then
}

// benchLog gives bodies back.
type benchLog struct {
	*queuetest.Log
	hurt   map[uint64]bool // jobs whose bodies cannot be read
	stall  chan struct{}   // if there is one, reading waits until it is closed, after whoever sends to it
	broken error           // what every read ends with
}

// awaitReader waits until somebody reads a body, and stalls: what is asked from then on is in another turn, whose
// answer does not wait for that.
func (l *benchLog) awaitReader() { l.stall <- struct{}{} }

func (l *benchLog) Body(id uint64, dst []byte) ([]byte, error) {
	if l.stall != nil {
		<-l.stall
		<-l.stall
	}
	if l.broken != nil {
		return dst, l.broken
	}
	if l.hurt[id] {
		return dst, storage.ErrUnreadable
	}
	if body, ok := l.Bodies[id]; ok {
		return append(dst, body...), nil
	}
	return nil, storage.ErrNoBody
}

// hookDirectory tells a test of tubes that are made, in the middle of an operation, and of ids that are given back.
type hookDirectory struct {
	queuetest.Deaf
	born    func(name string)
	jobGone func(id uint64)
}

func (d *hookDirectory) JobGone(id uint64) {
	if d.jobGone != nil {
		d.jobGone(id)
	}
}

func (d *hookDirectory) TubeBorn(name string) {
	if d.born != nil {
		d.born(name)
	}
}

// newBench makes one that the test closes at its end.
func newBench(t testing.TB, c queue.Config) *bench {
	b := &bench{TB: t, log: &benchLog{Log: queuetest.NewLog()}, start: time.Now(), dir: &hookDirectory{}}
	c.Directory, c.Pinned = b.dir, "default"
	if c.Log == nil {
		c.Log = b.log
	}
	b.sh = New(queue.NewState(c), b.now)
	b.close = sync.OnceFunc(func() {
		b.sh.Close()
		if err := b.sh.state.Sound(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.close)
	return b
}

// newAwayBench makes one with so many bytes for bodies in memory. The others are in its log only.
func newAwayBench(t testing.TB, budget int64) *bench {
	return newBench(t, queue.Config{Durable: true, Budget: budget})
}

// inBubble runs a test whose clock stands still while anybody runs, and then jumps to the next timer.
func inBubble(t *testing.T, durable bool, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newBench(t, queue.Config{Durable: durable})) })
}

func (b *bench) now() int64 {
	if b.asked != nil {
		b.asked()
	}
	return int64(time.Since(b.start)) + 1 + b.skew.Load()
}

// pass lets time pass in a bubble.
func (b *bench) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// take makes the test the owner of the shard.
func (b *bench) take() {
	b.Helper()
	if !b.sh.take() {
		b.Fatal("an idle shard cannot be taken")
	}
}

// hold makes another the owner of the shard until release is called: it stands in the middle of an operation.
func (b *bench) hold() (release func()) {
	inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	b.dir.born = func(name string) {
		if name == "held" {
			close(inside)
			<-leave
		}
	}
	holder := b.stranger()
	go func() {
		holder.do("use held; unuse")
		close(left)
	}()
	<-inside
	return func() { close(leave); <-left }
}

// client is a client of a Shard.
type client struct {
	queue.Client
	b       *bench
	gate    atomic.Uint64 // the ticket of its wait
	ticket  uint64
	given   uint64 // the last job
	last    queue.Batch
	wakes   chan wake
	answers chan *queue.Batch
}

// wake is what a client was told of the job that it was given.
type wake struct {
	id   uint64
	at   int64
	body string // if it came later than the job; "lost" if it cannot be read, or the log has failed
}

// stranger is a client that uses and watches nothing.
func (b *bench) stranger() *client {
	c := &client{b: b, wakes: make(chan wake, 10), answers: make(chan *queue.Batch, 10*turnBatches)}
	c.Waiter = c
	return c
}

// client is one that uses and watches the tube "default".
func (b *bench) client() *client {
	c := b.stranger()
	c.do("use default; watch default")
	return c
}

func (c *client) Arm() uint64              { c.ticket++; c.gate.Store(c.ticket); return c.ticket }
func (c *client) Waits(ticket uint64) bool { return c.gate.Load() == ticket }
func (c *client) Claim(ticket uint64) bool { return c.gate.CompareAndSwap(ticket, 0) }
func (c *client) Deliver(d queue.Delivery) { c.given = d.ID }
func (c *client) Complete(b *queue.Batch)  { c.answers <- b }

func (c *client) Wake(ok bool, body []byte) {
	if !ok {
		body = []byte("lost")
	}
	c.wakes <- wake{c.given, c.b.now(), string(body)}
}

func (c *client) batch(list ...queue.Op) *queue.Batch {
	return &queue.Batch{Client: &c.Client, Ops: list, Done: c}
}

// run has a batch applied to its end, or to a wait.
func (c *client) run(batch *queue.Batch) *queue.Batch {
	c.b.Helper()
	for batch.Next < len(batch.Ops) {
		if !c.b.sh.Submit(batch) && <-c.answers != batch {
			c.b.Fatal("another batch is answered")
		}
		if batch.Next > 0 && batch.Ops[batch.Next-1].Status == queue.Waiting {
			break
		}
	}
	return batch
}

// do has operations applied, each as verbs say it.
func (c *client) do(format string, args ...any) *queue.Batch {
	c.b.Helper()
	return c.run(c.batch(ops(format, args...)...))
}

// says does so, and looks at the answers.
func (c *client) says(text, want string) *queue.Batch {
	c.b.Helper()
	batch := c.do("%s", text)
	c.b.expect(text, said(batch), want)
	return batch
}

// begins submits operations that cannot be answered at once, and ends looks at their answers.
func (c *client) begins(list ...queue.Op) *queue.Batch {
	c.b.Helper()
	batch := c.batch(list...)
	if c.b.sh.Submit(batch) {
		c.b.Fatalf("%d operations are answered at once: %s", len(list), said(batch))
	}
	return batch
}

func (c *client) ends(batch *queue.Batch, want string) {
	c.b.Helper()
	if <-c.answers != batch {
		c.b.Fatal("another batch is answered")
	}
	c.b.expect("what was submitted", said(batch), want)
}

func (b *bench) expect(what, got, want string) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %q, want %q", what, got, want)
	}
}

// verbs are what clients say. A number is a job's id, any other word a tube or a body; name=N is a field.
var verbs = map[string]queue.Kind{
	"put": queue.Put, "reserve": queue.Reserve, "poll": queue.Reserve, "reserve-job": queue.ReserveJob,
	"delete": queue.Delete, "release": queue.Release, "bury": queue.Bury, "touch": queue.Touch, "kick": queue.Kick,
	"kick-job": queue.KickJob, "peek": queue.Peek, "peek-ready": queue.PeekReady, "peek-delayed": queue.PeekDelayed,
	"peek-buried": queue.PeekBuried, "stats-job": queue.StatsJob, "stats-tube": queue.StatsTube,
	"totals": queue.Totals, "pause": queue.Pause, "use": queue.Use, "unuse": queue.Unuse, "watch": queue.Watch,
	"ignore": queue.Ignore, "detach": queue.Detach,
}

// ops reads "put 1 abc delay=5; reserve".
func ops(format string, args ...any) (list []queue.Op) {
	for text := range strings.SplitSeq(fmt.Sprintf(format, args...), ";") {
		words := strings.Fields(text)
		op := queue.Op{Kind: verbs[words[0]], TTR: 60, Poll: words[0] == "poll"}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			field := map[string]*uint32{"pri": &op.Pri, "delay": &op.Delay, "ttr": &op.TTR, "limit": &op.Limit}[name]
			switch {
			case field != nil:
				fmt.Sscan(value, field)
			case w[0] <= '9':
				fmt.Sscan(w, &op.ID)
			default:
				op.Data, op.Size = []byte(w), uint32(len(w))
			}
		}
		list = append(list, op)
	}
	return list
}

var statuses = map[queue.Status]string{queue.OK: "ok", queue.NotFound: "no", queue.TimedOut: "timeout",
	queue.Waiting: "waiting", queue.Failed: "failed", queue.NoRoom: "no room"}

// said are the answers of those operations of a batch that were applied: "ok; 1 abc".
func said(b *queue.Batch) string {
	list := make([]string, b.Next)
	for i := range list {
		op := &b.Ops[i]
		list[i] = statuses[op.Status]
		if op.Status != queue.OK {
			continue
		}
		switch op.Kind {
		case queue.Reserve, queue.ReserveJob, queue.Peek, queue.PeekReady, queue.PeekDelayed, queue.PeekBuried:
			list[i] = fmt.Sprint(op.ID, " ", string(b.Small(op)), string(bytes.Join(op.Parts, nil)))
		case queue.Kick:
			list[i] = fmt.Sprint(op.Count)
		case queue.StatsJob:
			list[i] = b.Jobs[op.From].State.String()
		case queue.StatsTube:
			s := b.Tubes[op.From]
			list[i] = figures(queue.Sums{Ready: s.Ready, Delayed: s.Delayed, Reserved: s.Reserved, Buried: s.Buried})
		case queue.Totals:
			list[i] = figures(b.Sums)
		}
	}
	return strings.Join(list, "; ")
}

// figures are those that are not 0: "ready:1 buried:2".
func figures(s queue.Sums) string {
	s.Urgent, s.Total = 0, 0
	words := strings.Fields(strings.ToLower(strings.Trim(fmt.Sprintf("%+v", s), "{}")))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.HasSuffix(w, ":0") }), " ")
}
