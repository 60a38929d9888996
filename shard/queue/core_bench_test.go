package queue

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

func newBareState() *State {
	logs, err := storage.Memory().Open(1, nil)
	if err != nil {
		panic(err)
	}
	return NewState(Config{Directory: queuetest.Deaf{}, Log: logs[0], Pinned: "default"})
}

// field is a State with resident jobs, and workers that each use and watch one
// tube, for figures of the steady state.
type field struct {
	s       *State
	now     int64
	id      uint64
	clients []Client
	batch   Batch
	body    []byte
	turn    int
}

func newField(jobs, tubes int) *field {
	f := &field{s: newBareState(), now: 1, clients: make([]Client, tubes), body: []byte(strings.Repeat("x", 100))}
	f.batch.Ops = make([]Op, 1)
	for i := range f.clients {
		name := fmt.Appendf(nil, "tube%d", i)
		f.apply(&f.clients[i], Op{Kind: Use, Data: name})
		f.apply(&f.clients[i], Op{Kind: Watch, Data: name})
	}
	for i := range jobs {
		f.put(&f.clients[i%tubes])
	}
	for range tubes { // every tube and client has had its first job
		f.cycle()
	}
	return f
}

func (f *field) apply(c *Client, op Op) *Op {
	f.batch.Client, f.batch.Ops[0], f.batch.Bytes = c, op, f.batch.Bytes[:0]
	f.s.Apply(f.now, &f.batch, &f.batch.Ops[0])
	return &f.batch.Ops[0]
}

func (f *field) put(c *Client) {
	f.id++
	f.apply(c, Op{Kind: Put, ID: f.id, Pri: 1000, TTR: 60, Data: f.body, Size: uint32(len(f.body))})
}

// cycle is one put, one reserve and one delete in the next tube.
func (f *field) cycle() {
	c := &f.clients[f.turn]
	f.turn = (f.turn + 1) % len(f.clients)
	f.now += 1000
	f.put(c)
	got := f.apply(c, Op{Kind: Reserve, Poll: true})
	f.apply(c, Op{Kind: Delete, ID: got.ID})
	if got.Status != OK {
		panic("the cycle is broken")
	}
}

var fields = []struct {
	jobs, tubes int
}{{1, 1}, {1_000_000, 1}, {1, 100_000}, {1_000_000, 100_000}}

// One operation is a put, a reserve and a delete.
func BenchmarkCycle(b *testing.B) {
	for _, size := range fields {
		b.Run(fmt.Sprintf("jobs=%d/tubes=%d", size.jobs, size.tubes), func(b *testing.B) {
			f := newField(size.jobs, size.tubes)
			b.ReportAllocs()
			for b.Loop() {
				f.cycle()
			}
		})
	}
}

// The steady way of a job allocates nothing.
func TestCycleAllocatesNothing(t *testing.T) {
	for _, size := range []struct{ jobs, tubes int }{{1, 1}, {100_000, 1}, {1, 1000}, {100_000, 1000}} {
		f := newField(size.jobs, size.tubes)
		if n := testing.AllocsPerRun(20000, f.cycle); n != 0 {
			t.Errorf("%d jobs in %d tubes: %v allocations a cycle", size.jobs, size.tubes, n)
		}
	}
}

// patient is a waiter who is always there.
type patient struct {
	ticket uint64
	id     uint64
}

func (p *patient) Arm() uint64         { p.ticket++; return p.ticket }
func (p *patient) Claim(n uint64) bool { return n == p.ticket }
func (p *patient) Waits(n uint64) bool { return n == p.ticket }
func (p *patient) Deliver(d Delivery)  { p.id = d.ID }
func (p *patient) Wake(bool, []byte)   {}

// Nor does the way over a wait, delayed jobs, touch, release, bury and kick.
func TestOtherWaysAllocateNothing(t *testing.T) {
	f := newField(1000, 1)
	c := &f.clients[0]
	for f.s.totals.Ready > 0 {
		f.apply(c, Op{Kind: Delete, ID: f.apply(c, Op{Kind: Reserve, Poll: true}).ID})
	}
	p := &patient{}
	c.Waiter = p
	if n := testing.AllocsPerRun(5000, func() {
		f.now += 1000
		f.apply(c, Op{Kind: Reserve})
		f.put(c)
		f.s.Woken = f.s.Woken[:0]
		f.apply(c, Op{Kind: Touch, ID: p.id})
		f.apply(c, Op{Kind: Release, ID: p.id, Delay: 1})
		f.now += second
		f.s.Tick(f.now)
		f.apply(c, Op{Kind: Reserve, Poll: true})
		f.apply(c, Op{Kind: Bury, ID: p.id})
		f.apply(c, Op{Kind: Kick, Limit: 1})
		f.apply(c, Op{Kind: Peek, ID: p.id})
		if f.apply(c, Op{Kind: Delete, ID: p.id}).Status != OK {
			t.Fatal("the cycle is broken")
		}
	}); n != 0 {
		t.Errorf("%v allocations a cycle", n)
	}
}

// heapBytes is how much memory is reachable.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What a ready job of 100 bytes costs with a million of them, all told, and
// that the memory comes back.
func TestMemoryOfAJob(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const jobs = 1_000_000
	f := newField(0, 1)
	c := &f.clients[0]
	empty := heapBytes()
	for range jobs {
		f.put(c)
	}
	each := float64(heapBytes()-empty) / jobs
	t.Logf("%.1f bytes for a ready job of %d bytes", each, len(f.body))
	if each >= 176 {
		t.Errorf("a ready job of 100 bytes costs %.1f bytes, want less than 176", each)
	}
	for f.s.totals.Ready > 0 {
		f.apply(c, Op{Kind: Delete, ID: f.apply(c, Op{Kind: PeekReady}).ID})
	}
	left := float64(heapBytes()-empty) / jobs
	t.Logf("%.1f bytes are left of it when it has gone", left)
	if left > 20 {
		t.Errorf("%.1f bytes of a job are left when all jobs have gone", left)
	}
	runtime.KeepAlive(f)
}
