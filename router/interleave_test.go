package router

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/shard/queue"
)

// scenario is a world of a few actors, of which all interleavings are run:
// once with logs that answer at once, once with logs that take their time.
type scenario struct {
	name   string
	shards int
	heavy  bool // the slow log makes too many for every day
	build  func(w *world, d *bed)
}

func both(d *bed) []string { return []string{d.tube(0, 0), d.tube(1, 0)} }

// scenarios are the pairs and triples in which a reserve over several shards
// can go wrong.
var scenarios = []scenario{
	{"one reserver, one producer of two tubes", 2, true, func(w *world, d *bed) {
		w.add("reserver", "", both(d), reserve)
		p := w.producer(d.tube(0, 0), put)
		p.plan = append(p.plan, deed{plain, func(a *actor) { a.call(a.Use([]byte(d.tube(1, 0))), nil) }}, put)
	}},
	{"one reserver, a producer at each shard", 2, false, func(w *world, d *bed) {
		w.add("reserver", "", both(d), reserve)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), putAt(5))
	}},
	{"a waiter over three shards, a producer at each", 3, true, func(w *world, d *bed) {
		w.add("waiter", "", []string{d.tube(0, 0), d.tube(1, 0), d.tube(2, 0), d.tube(2, 1)}, reserve).now(1)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), put)
		w.producer(d.tube(2, 1), put)
	}},
	{"timeout against a put", 2, false, func(w *world, d *bed) {
		w.add("reserver", "", both(d), reserve, cancel)
		w.producer(d.tube(0, 0), put)
	}},
	{"timeout against puts at both shards", 2, true, func(w *world, d *bed) {
		w.add("waiter", "", both(d), reserve, cancel, remove, reserve).now(1)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), put)
	}},
	{"hang-up against a put", 2, false, func(w *world, d *bed) {
		w.add("reserver", "", both(d), reserve, hangUp)
		w.producer(d.tube(1, 0), put)
	}},
	{"hang-up of the first waiter, another behind it, a put", 2, true, func(w *world, d *bed) {
		w.add("first", "", both(d), reserve, hangUp).now(1)
		w.add("second", "", both(d), reserve).now(1)
		w.producer(d.tube(1, 0), put)
	}},
	{"two reservers race for one job", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("first", "", both(d), poll)
		w.add("second", "", both(d), poll)
	}},
	{"two poll, and there is a job for each all the time", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putAt(5)).now(1)
		w.producer(d.tube(1, 0), put).now(1)
		w.add("first", "", both(d), poll)
		w.add("second", "", both(d), poll)
		w.served = true
	}},
	{"two reservers race for one job, and the loser waits", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(1, 0), put).now(1)
		w.add("first", "", both(d), reserve)
		w.add("second", "", []string{d.tube(1, 0)}, reserve)
	}},
	{"a reserver over two shards and one over one, and a put", 2, true, func(w *world, d *bed) {
		w.add("wide", "", both(d), reserve)
		w.add("narrow", "", []string{d.tube(0, 0)}, reserve)
		w.producer(d.tube(0, 0), put)
	}},
	{"two waiters, and puts at both shards", 2, false, func(w *world, d *bed) {
		w.add("first", "", both(d), reserve).now(1)
		w.add("second", "", []string{d.tube(1, 0), d.tube(0, 0)}, reserve).now(1)
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), put)
	}},
	{"two waiters, one times out, one hangs up, and a put", 2, true, func(w *world, d *bed) {
		w.add("first", "", both(d), reserve, cancel).now(1)
		w.add("second", "", both(d), reserve, hangUp).now(1).mute = true
		w.producer(d.tube(1, 0), put)
	}},
	{"a reserver whose offer somebody deletes", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("reserver", "", both(d), reserve)
		w.producer("default", removeNth(1))
	}},
	{"a reserver whose offer is paused away, and a put elsewhere", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("reserver", "", both(d), reserve)
		w.producer(d.tube(1, 0), pauseTube(d.tube(0, 0), 100), put)
	}},
	{"a search of several turns, and jobs come and go", 1, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("searcher", "", []string{d.tube(0, 0), d.tube(0, 1), d.tube(0, 2)}, reserve)
		w.producer(d.tube(0, 1), removeNth(1), put)
		w.producer(d.tube(0, 0), put)
	}},
	{"two searches of several turns, and a put", 2, true, func(w *world, d *bed) {
		tubes := []string{d.tube(0, 0), d.tube(0, 1), d.tube(1, 0), d.tube(1, 1)}
		w.add("first", "", tubes, reserve)
		w.add("second", "", tubes[:2], poll)
		w.producer(d.tube(0, 0), put)
	}},
	{"a holder releases while another reserves", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), put).now(1)
		w.add("holder", "", both(d), reserve, release).now(1).mute = true
		w.add("reserver", "", both(d), reserve, cancel)
	}},
	{"a holder hangs up while another waits and times out", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(1, 0), put).now(1)
		w.add("holder", "", []string{d.tube(1, 0)}, reserve, hangUp).now(1)
		w.add("waiter", "", both(d), reserve, cancel).now(1)
	}},
}

// timed are those in which time passes.
var timed = []scenario{
	{"a TTR ends while another reserves", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), deed{plain, func(a *actor) { a.put(1, 0, 1, nil) }}).now(1)
		w.add("holder", "", both(d), reserve).now(1).fleeting = true
		w.add("reserver", "", both(d), reserve)
		w.producer(d.tube(1, 0), put)
		w.lapse = aSecond
	}},
	{"a TTR ends, the holder deletes, another waits and times out", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), deed{plain, func(a *actor) { a.put(1, 0, 1, nil) }}).now(1)
		w.add("holder", "", both(d), reserve, remove).now(1).fleeting = true
		w.add("waiter", "", both(d), reserve, cancel).now(1)
		w.lapse = aSecond
	}},
	{"a waiter's own deadline comes near, and a job comes", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), deed{plain, func(a *actor) { a.put(1, 0, 2, nil) }}).now(1)
		a := w.add("waiter", "", both(d), reserve, reserve, alarm).now(2)
		a.fleeting = true
		a.onGot = nil // it holds two jobs, for two reserves
		w.producer(d.tube(1, 0), put)
		w.lapse = func() { time.Sleep(1500 * time.Millisecond) }
	}},
	{"a waiter's own TTR ends and it gets its job back", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), deed{plain, func(a *actor) { a.put(1, 0, 2, nil) }}).now(1)
		a := w.add("waiter", "", both(d), reserve, reserve, alarm, cancel).now(2)
		a.fleeting = true
		w.lapse = func() { time.Sleep(2 * time.Second) }
	}},
	{"two tubes' pauses end while one waits and one polls", 2, false, func(w *world, d *bed) {
		p := w.producer(d.tube(0, 0), put, pauseTube(d.tube(0, 0), 1), pauseTube(d.tube(1, 0), 1)).now(1)
		w.add("watcher", "", []string{d.tube(1, 0)})
		p.now(2)
		w.add("waiter", "", both(d), reserve).now(1)
		w.add("poller", "", both(d), poll)
		w.lapse = aSecond
	}},
}

// aSecond passes, by the bubble's clock.
func aSecond() { time.Sleep(time.Second) }

var thorough = flag.Bool("thorough", false, "run the interleavings that take minutes too")

// R1 to R3 hold after each step of any order.
func TestEveryInterleaving(t *testing.T) { exploreAll(t, scenarios, sessionModes, false) }

// The bubble's clock stands still but when lapse moves it.
func TestEveryInterleavingWithTime(t *testing.T) { exploreAll(t, timed, sessionModes, false) }

// exploreMode is how the shards of a scenario work: answers may come late, all
// clients may be wide, and a turn may do one step of a search at most.
type exploreMode struct {
	late        bool
	wide, share int
}

var sessionModes = []exploreMode{{}, {late: true}, {wide: -1}, {wide: -1, share: 1}}

// exploreAll gives each scenario new worlds, which may have the queue service.
func exploreAll(t *testing.T, list []scenario, modes []exploreMode, serve bool) {
	total := 0
	for _, c := range list {
		modes := modes
		if c.heavy && !*thorough || raced {
			modes = modes[:1]
		}
		for _, mode := range modes {
			synctest.Test(t, func(t *testing.T) {
				defer func() {
					if t.Failed() {
						t.Logf("in the scenario %q, %+v", c.name, mode)
					}
				}()
				runs := explore(t, c.shards, queue.Config{Many: mode.wide, Share: mode.share}, mode.late, func(d *bed) *world {
					w := d.begin()
					if serve {
						w.serve()
					}
					c.build(w, d)
					return w
				})
				t.Logf("%8d interleavings: %s, %+v", runs, c.name, mode)
				total += runs
			})
		}
	}
	t.Logf("%8d interleavings in all", total)
}
