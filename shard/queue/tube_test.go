package queue

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"weak"
)

func TestPause(t *testing.T) {
	runScripts(t, []script{
		{"a paused tube is not served, and waiters are when the pause ends", `
			a put 5 0 60 -> 1
			a put 4 0 60 -> 2
			a pause default 3
			a stats-tube default -> pause=3 left=3 pauses=1
			b poll -> timeout
			b offer -> empty
			b claim -> empty
			b reserve -> waiting
			c reserve -> waiting
			+2999999999ns
			a stats-tube default -> pause=3 left=0
			+1ns => b:2 c:1
			a stats-tube default -> pause=0 left=0 pauses=1`},
		{"a pause does not end with a delay that is over just before", `
			a put 9 5 60 -> 1
			+1ns
			a pause default 5
			b reserve -> waiting
			+4999999999ns
			a stats-tube default -> pause=5 left=0 ready=1 waiting=1
			+1ns => b:1`},
		{"everything else goes on", `
			a pause default 60
			a put 5 0 2 -> 1
			a put 5 1 2 -> 2
			a peek-ready -> 1
			b reserve-job 1 -> 1
			+1s
			a stats-job 2 -> state=ready
			+1s
			a stats-job 1 -> state=ready timeouts=1
			a delete 1
			a delete 2`},
	})
}

func TestEndOfPause(t *testing.T) {
	runScripts(t, []script{
		{"a new pause replaces the old one, also by a shorter one", `
			a put 5 0 60 -> 1
			a pause default 10
			a pause default 2
			a stats-tube default -> pause=2 left=2 pauses=2
			b reserve -> waiting
			+1s
			a pause default 5
			+4s
			a stats-tube default -> left=1
			+1s => b:1`},
		{"0 ends a pause", `
			a put 5 0 60 -> 1
			a pause default 10
			b reserve -> waiting
			a pause default 0 => b:1
			a stats-tube default -> pause=0 left=0 pauses=2
			+20s`},
		{"a tube that is not there is not made", `
			a pause other 5 -> no
			a stats-tube other -> no`},
		{"tubes that end their pauses together serve the best job first", `
			a use two
			a put 9 0 60 -> 1
			a put 8 0 60 -> 2
			a use three
			a put 7 0 60 -> 3
			a put 9 0 60 -> 4
			a pause two 5
			a pause three 5
			b watch two
			b watch three
			c watch two
			c watch three
			d watch three
			d watch two
			b reserve -> waiting
			c reserve -> waiting
			d reserve -> waiting
			+5s => b:3 c:2 d:1`},
		{"the end of a pause and a delay at once", `
			a put 9 0 60 -> 1
			a put 1 5 60 -> 2
			a pause default 5
			b reserve -> waiting
			+5s => b:2`},
	})
}

func TestTubeLife(t *testing.T) {
	exist := func(w *world, want string) {
		t.Helper()
		if got := w.dir.Names(); !slices.Equal(got, strings.Fields(want)) {
			t.Fatalf("tubes are %v, want %v", got, want)
		}
	}
	w := newWorld(t)
	exist(w, "default")
	w.run("a use one")
	exist(w, "default one")
	w.run("a use one\n a stats-tube one -> using=1\n a use two")
	exist(w, "default two")
	w.run("b watch three\n b ignore default\n a put 5 0 60 -> 1\n a use default\n b stats-tube three -> watching=1 using=0")
	exist(w, "default three two") // two has a job
	w.run("b watch four\n b ignore three\n b reserve-job 1 -> 1")
	exist(w, "default four two")
	w.run("b bury 1 1\n a kick-job 1\n c delete 1")
	exist(w, "default four")
	w.run("a put 5 9 60 -> 2\n a unuse\n a ignore default\n b unuse\n c ignore default\n c unuse\n d delete 2")
	exist(w, "default four")
	w.run("b detach\n b ignore four")
	exist(w, "default")
	if n := len(w.s.tubes); n != 1 {
		t.Errorf("%d tubes are left", n)
	}
}

// A tube that vanishes takes its pause and its counts along.
func TestTubeForgets(t *testing.T) {
	runScripts(t, []script{{"", `
		a use one
		a put 5 0 60 -> 1
		a delete 1
		a pause one 5
		a stats-tube one -> total=1 deletes=1 pauses=1 pause=5
		a use default
		a stats-tube one -> no
		a use one
		a stats-tube one -> total=0 deletes=0 pauses=0 pause=0 using=1
		a put 5 0 60 -> 2
		a unuse                 # a job alone keeps its tube
		a pause one 3
		a stats-tube one -> using=0 ready=1 pause=3
		+1s
		a delete 2
		a stats-tube one -> no
		+10s`}})
}

// Slots of tubes and clients are used again, and nothing keeps hold of those
// that have gone.
func TestSlotsOfTheGone(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	for i := range 5000 {
		a.apply(Op{Kind: Use, Data: fmt.Appendf(nil, "tube%d", i)})
		c := &user{w: w, name: "c"}
		c.client.Waiter = c
		c.apply(Op{Kind: Watch, Data: []byte("default")})
		w.lastID++
		w.bodies[w.lastID] = ""
		a.apply(Op{Kind: Put, ID: w.lastID, TTR: 1})
		c.apply(Op{Kind: ReserveJob, ID: w.lastID})
		c.apply(Op{Kind: Delete, ID: w.lastID})
		c.apply(Op{Kind: Reserve})
		c.apply(Op{Kind: Detach})
		c.apply(Op{Kind: Ignore, Data: []byte("default")})
	}
	w.run("a stats-tube default -> watching=1 waiting=0")
	if w.s.tubeAt.N > 5 || w.s.clients.N > 5 {
		t.Errorf("%d tube slots, %d client slots", w.s.tubeAt.N, w.s.clients.N)
	}
	c := &user{w: w, name: "c"}
	c.client.Waiter = c
	c.apply(Op{Kind: Watch, Data: []byte("default")})
	c.apply(Op{Kind: Reserve})
	c.apply(Op{Kind: Detach})
	c.apply(Op{Kind: Ignore, Data: []byte("default")})
	gone := weak.Make(c)
	c = nil
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the state keeps a client that has left")
	}
	runtime.KeepAlive(w)
}

func TestWatchOrder(t *testing.T) {
	w := newWorld(t)
	w.run("a watch one\n a watch two\n a ignore default")
	var names []string
	for _, tb := range w.users["a"].client.tubes() {
		names = append(names, tb.name)
	}
	if !slices.Equal(names, []string{"two", "one"}) {
		t.Errorf("watched are %v: the last takes the place of the one that goes", names)
	}
}

func TestIgnoreOfNothingPanics(t *testing.T) {
	w := newWorld(t)
	defer func() {
		if recover() == nil {
			t.Error("ignoring a tube that is not watched is a programmer's mistake")
		}
	}()
	w.run("a use one\n a ignore one")
}

func TestDetach(t *testing.T) {
	runScripts(t, []script{
		{"jobs come back in the order of their reservation, and are not counted", `
			a put 3 0 60 -> 1
			a put 2 0 60 -> 2
			a put 1 0 60 -> 3
			b reserve-job 2 -> 2
			b reserve-job 3 -> 3
			b reserve-job 1 -> 1
			c reserve -> waiting
			d reserve -> waiting
			e reserve -> waiting
			b detach => c:2 d:3 e:1
			a stats-job 2 -> state=reserved reserves=2 releases=0 timeouts=0 pri=2`},
		{"into their tubes, also those that were delayed or buried", `
			a use other
			a put 3 50 60 -> 1
			a put 3 0 60 -> 2
			b reserve-job 1 -> 1
			b reserve-job 2 -> 2
			b bury 2 3
			b reserve-job 2 -> 2
			b detach
			a stats-tube other -> ready=2 reserved=0 buried=0 delayed=0
			+100s`},
		{"a wait ends without a trace", `
			b watch two
			b reserve -> waiting
			b detach
			a stats-tube two -> waiting=0 watching=1
			a put 1 0 60 -> 1
			a stats-tube default -> ready=1 waiting=0`},
		{"a client may come again after it has left", `
			a put 1 0 60 -> 1
			b poll -> 1
			b detach
			b release 1 0 0 -> no
			b delete 9 -> no
			b poll -> 1
			b delete 1`},
	})
}

// largestStep is the most memory that one of n steps takes: a list that is copied to
// grow takes as much as it holds. There is no collection meanwhile, because the runtime
// counts small allocations when one begins.
func largestStep(n int, step func(int)) (largest, at uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	for i := range n {
		step(i)
		metrics.Read(sample)
		if took := sample[0].Value.Uint64() - before; took > largest {
			largest, at = took, uint64(i)
		}
		before = sample[0].Value.Uint64()
	}
	return largest, at
}

// However many tubes and clients there are, one more does not copy what is known of
// them: a table of a map, of which a few may be split in one step, is the largest piece.
func TestGrowthCopiesLittle(t *testing.T) {
	const n, most = 100_000, 256 << 10
	w := newWorld(t)
	u, v := w.user("u"), w.user("v")
	v.apply(Op{Kind: Use, Data: []byte("kept")})
	clients := make([]Client, n)
	for _, stage := range []struct {
		what string
		step func(i int)
	}{
		{"watch", func(i int) { u.apply(tubeOp(Watch, i)) }},
		{"ignore", func(i int) { u.apply(tubeOp(Ignore, i)) }},
		{"enroll", func(i int) { w.s.enroll(&clients[i]) }},
		{"dismiss", func(i int) { w.s.dismiss(&clients[i]) }},
	} {
		if largest, at := largestStep(n, stage.step); largest > most {
			t.Errorf("%s: step %d of %d takes %d bytes, want %d at most", stage.what, at, n, largest, most)
		}
	}
	if err := w.check(); err != nil {
		t.Error(fmt.Errorf("at the end: %w", err))
	}
}
