package shard

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
	"beanfield/shard/queue/queuetest"
)

// In these tests the clock is that of a synctest bubble: it stands still while
// anybody runs, and then jumps to the next timer.

const second = int64(time.Second)

// bench is a Shard with a clock, for tests of the loop.
type bench struct {
	t     *testing.T
	sh    *Shard
	log   *queuetest.Log
	start time.Time
	dir   *hookDirectory
	asked func() // called whenever somebody asks for the time
}

// hookDirectory lets a test stop the goroutine that runs the shard while it makes a
// tube, and records ids that are given back.
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

func newBench(t *testing.T, durable bool) *bench {
	b := &bench{t: t, log: queuetest.NewLog(), start: time.Now(), dir: &hookDirectory{}}
	s := queue.NewState(queue.Config{Directory: b.dir, Log: b.log, Durable: durable, Pinned: "default"})
	b.sh = New(s, b.now)
	return b
}

// inBubble runs a test of a Shard, which it closes: what is in it must be whole then.
func inBubble(t *testing.T, durable bool, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, durable)
		test(t, b)
		b.sh.Close()
		if err := b.sh.state.Sound(); err != nil {
			t.Error(err)
		}
	})
}

func (b *bench) now() int64 {
	if b.asked != nil {
		b.asked()
	}
	return int64(time.Since(b.start)) + 1
}

// testClient is a client of a Shard that records when it is woken and answered.
type testClient struct {
	b       *bench
	client  queue.Client
	ticket  uint64
	open    bool
	answers chan *queue.Batch

	mu    sync.Mutex
	given []uint64
	times []int64 // of wakes
}

func (b *bench) newClient() *testClient {
	g := &testClient{b: b, answers: make(chan *queue.Batch, 100)}
	g.client.Waiter = g
	g.do(queue.Op{Kind: queue.Use, Data: []byte("default")}, queue.Op{Kind: queue.Watch, Data: []byte("default")})
	return g
}

func (g *testClient) Arm() uint64             { g.ticket++; g.open = true; return g.ticket }
func (g *testClient) Complete(b *queue.Batch) { g.answers <- b }
func (g *testClient) batch(ops ...queue.Op) *queue.Batch {
	return &queue.Batch{Client: &g.client, Ops: ops, Done: g}
}

func (g *testClient) Deliver(d queue.Delivery) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.given = append(g.given, d.ID)
}

func (g *testClient) Wake(bool, []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.times = append(g.times, g.b.now())
}

// got tells what the client has been given, and when it was woken.
func (g *testClient) got() (ids []uint64, times []int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.given), slices.Clone(g.times)
}

func (g *testClient) do(ops ...queue.Op) *queue.Batch {
	b := g.batch(ops...)
	g.run(b)
	return b
}

func (g *testClient) put(id uint64, delay, ttr uint32) {
	g.do(queue.Op{Kind: queue.Put, ID: id, Pri: 5, Delay: delay, TTR: ttr})
}

func (g *testClient) Waits(ticket uint64) bool { return g.open && ticket == g.ticket }

func (g *testClient) Claim(ticket uint64) bool {
	if !g.open || ticket != g.ticket {
		return false
	}
	g.open = false
	return true
}

// run submits a batch and waits until it is complete.
func (g *testClient) run(b *queue.Batch) {
	g.b.t.Helper()
	if g.b.sh.Submit(b) {
		return
	}
	if got := <-g.answers; got != b {
		g.b.t.Fatal("another batch is answered")
	}
}

func (b *bench) totals() queue.Sums {
	batch := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}, Done: make(doneChan, 1)}
	if !b.sh.Submit(batch) {
		<-batch.Done.(doneChan)
	}
	return batch.Sums
}

// sums asks a state that nobody runs.
func sums(s *queue.State) queue.Sums {
	b := &queue.Batch{Ops: []queue.Op{{Kind: queue.Totals}}}
	s.Run(1, b)
	return b.Sums
}

type doneChan chan *queue.Batch

func (c doneChan) Complete(b *queue.Batch) { c <- b }

// Deadlines fire by themselves, not early, and within a millisecond: delays,
// ends of pauses, TTRs, also when an earlier one comes later.
func TestTimers(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a, w := b.newClient(), b.newClient()
		a.put(1, 5, 2)
		a.put(2, 2, 60) // earlier than what the timer is set to
		w.do(queue.Op{Kind: queue.Reserve})
		<-time.After(1999 * time.Millisecond)
		synctest.Wait()
		if _, times := w.got(); len(times) != 0 {
			t.Fatal("a delayed job was early")
		}
		<-time.After(2 * time.Millisecond)
		synctest.Wait()
		w.do(queue.Op{Kind: queue.Delete, ID: 2}, queue.Op{Kind: queue.Reserve})
		<-time.After(10 * time.Second) // 1 comes at 5 s, and back at 7 s
		synctest.Wait()
		if sums := b.totals(); sums.Timeouts != 1 {
			t.Errorf("%d timeouts, want 1", sums.Timeouts)
		}
		a.do(queue.Op{Kind: queue.Delete, ID: 1}, queue.Op{Kind: queue.Pause, Data: []byte("default"), Delay: 3},
			queue.Op{Kind: queue.Put, ID: 3, TTR: 60})
		w.do(queue.Op{Kind: queue.Reserve})
		unpaused := b.now() - 1 + 3*second
		<-time.After(10 * time.Second)
		synctest.Wait()
		_, times := w.got()
		for i, at := range []int64{2 * second, 5 * second, unpaused} {
			if late := times[i] - 1 - at; late < 0 || late > 1e6 {
				t.Errorf("wake %d is %v late", i, time.Duration(late))
			}
		}
	})
}

// Hundreds of jobs put at odd moments all come at theirs.
func TestTimersAtOddMoments(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		rnd := rand.New(rand.NewPCG(5, 5))
		const n = 400
		due := map[uint64]int64{}
		var waiters []*testClient
		for id := uint64(1); id <= n; id++ {
			delay := uint32(rnd.IntN(5) + 1)
			due[id] = b.now() + int64(delay)*second
			a.put(id, delay, 3600)
			w := b.newClient()
			w.do(queue.Op{Kind: queue.Reserve})
			waiters = append(waiters, w)
			<-time.After(time.Duration(rnd.IntN(40e6)))
		}
		<-time.After(6 * time.Second)
		synctest.Wait()
		for _, w := range waiters {
			ids, times := w.got()
			if len(ids) != 1 || len(times) != 1 {
				t.Fatalf("a waiter was given %v at %v", ids, times)
			}
			if late := times[0] - due[ids[0]]; late < 0 || late > 1e6 {
				t.Errorf("job %d is %v late", ids[0], time.Duration(late))
			}
		}
	})
}

// More is due at once than a turn may move: it is all done, without another
// timer.
func TestMoreDueThanASlice(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		const n = 5*queue.Slice + 3
		for id := uint64(1); id <= n; id++ {
			if id%2 == 0 {
				a.put(id, 2, 60)
			} else {
				a.do(queue.Op{Kind: queue.Put, ID: id, TTR: 2}, queue.Op{Kind: queue.ReserveJob, ID: id})
			}
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if sums := b.totals(); sums.Ready != n || sums.Timeouts != n/2+1 {
			t.Errorf("%+v, want %d ready", sums, n)
		}
	})
}

// hold makes the caller of the returned function the owner of the shard until
// release is called: it stands in the middle of an operation.
func (b *bench) hold() (release func()) {
	inside, leave := make(chan struct{}), make(chan struct{})
	b.dir.born = func(name string) {
		if name == "held" {
			close(inside)
			<-leave
		}
	}
	holder := &testClient{b: b, answers: make(chan *queue.Batch, 1)}
	go holder.do(queue.Op{Kind: queue.Use, Data: []byte("held")})
	<-inside
	return func() { close(leave) }
}

// A deadline that comes while the shard is taken is served when it is given back.
func TestAlarmWhileBusy(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a, w := b.newClient(), b.newClient()
		a.put(1, 1, 60)
		w.do(queue.Op{Kind: queue.Reserve})
		release := b.hold()
		<-time.After(3 * time.Second)
		synctest.Wait()
		if _, times := w.got(); len(times) != 0 {
			t.Fatal("two run the shard at once")
		}
		release()
		synctest.Wait()
		if _, times := w.got(); !slices.Equal(times, []int64{3*second + 1}) {
			t.Errorf("woken at %v, want at 3 s", times)
		}
	})
}

// What comes while somebody runs the shard is applied in order of arrival,
// all of it, though nobody comes any more; it is more than one may be burdened
// with, so the shard's goroutine does the rest.
func TestHandingOver(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		const n = 5 * turnBatches
		release := b.hold()
		done := make(doneChan, n)
		var batches []*queue.Batch
		for i := range n {
			name := []byte("default")
			batch := &queue.Batch{Client: &a.client, Ops: []queue.Op{
				{Kind: queue.Put, ID: uint64(i + 1), Pri: 5, TTR: 60}, {Kind: queue.StatsTube, Data: name},
			}, Done: done}
			if b.sh.Submit(batch) {
				t.Fatal("a batch is complete though the shard is busy")
			}
			copy(name, "borrowed") // the caller's buffer is used again
			batches = append(batches, batch)
		}
		synctest.Wait()
		if len(done) != 0 {
			t.Fatal("two run the shard at once")
		}
		release()
		synctest.Wait()
		for i, want := range batches {
			if got := <-done; got != want || got.Next != 2 {
				t.Fatalf("batch %d is out of order", i)
			}
			if want.Tubes[0].Ready != i+1 {
				t.Fatalf("batch %d sees %d jobs", i, want.Tubes[0].Ready)
			}
		}
	})
}

// A long operation goes on by itself, and lets others in between.
func TestLongKick(t *testing.T) {
	inBubble(t, false, func(t *testing.T, b *bench) {
		a := b.newClient()
		const n = 10 * queue.Slice
		for id := uint64(1); id <= n; id++ {
			a.put(id, 3600, 60)
		}
		kick := a.batch(queue.Op{Kind: queue.Kick, Limit: n}, queue.Op{Kind: queue.PeekDelayed})
		if b.sh.Submit(kick) {
			t.Fatal("ten slices in one")
		}
		<-a.answers
		if kick.Ops[0].Count != n || kick.Ops[1].Status != queue.NotFound || kick.Next != 2 {
			t.Errorf("%+v", kick.Ops)
		}
	})
}
