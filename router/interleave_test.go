package router

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

// scenario is a world of a few actors, of which all interleavings are run:
// once with logs that answer at once, once with logs that take their time.
type scenario struct {
	name   string
	shards int
	heavy  bool // modes but the first make too many for every day
	build  func(w *world, d *bed)
}

func both(d *bed) []string { return []string{d.tube(0, 0), d.tube(1, 0)} }

// scenarios are the pairs and triples in which a reserve over several shards
// can go wrong.
var scenarios = []scenario{
	{"one reserver, a producer at each shard", 2, true, func(w *world, d *bed) {
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
		first, second := w.add("first", "", both(d), poll), w.add("second", "", both(d), poll)
		w.leaf = func() error {
			if len(first.held) != 1 || len(second.held) != 1 {
				return fmt.Errorf("%d and %d jobs are taken, though there were enough all the time", len(first.held),
					len(second.held))
			}
			return nil
		}
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
		w.remover(1)
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
		w.producer(d.tube(0, 0), putting(1, 1, nil)).now(1)
		w.add("holder", "", both(d), reserve).now(1).fleeting = true
		w.add("reserver", "", both(d), reserve)
		w.producer(d.tube(1, 0), put)
		w.lapse = passes(time.Second)
	}},
	{"a TTR ends, the holder deletes, another waits and times out", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putting(1, 1, nil)).now(1)
		w.add("holder", "", both(d), reserve, remove).now(1).fleeting = true
		w.add("waiter", "", both(d), reserve, cancel).now(1)
		w.lapse = passes(time.Second)
	}},
	{"a waiter's own deadline comes near, and a job comes", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putting(1, 2, nil)).now(1)
		a := w.add("waiter", "", both(d), reserve, reserve, alarm).now(2)
		a.fleeting = true
		w.producer(d.tube(1, 0), put)
		w.lapse = passes(1500 * time.Millisecond)
	}},
	{"a waiter's own TTR ends and it gets its job back", 2, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putting(1, 2, nil)).now(1)
		a := w.add("waiter", "", both(d), reserve, reserve, alarm, cancel).now(2)
		a.fleeting = true
		w.lapse = passes(2 * time.Second)
	}},
	{"two tubes' pauses end while one waits and one polls", 2, false, func(w *world, d *bed) {
		p := w.producer(d.tube(0, 0), put, pauseTube(d.tube(0, 0), 1), pauseTube(d.tube(1, 0), 1)).now(1)
		w.add("watcher", "", []string{d.tube(1, 0)})
		p.now(2)
		w.add("waiter", "", both(d), reserve).now(1)
		w.add("poller", "", both(d), poll)
		w.lapse = passes(time.Second)
	}},
}

var thorough = flag.Bool("thorough", false, "run the interleavings that take minutes too")

var sessionModes = []exploreMode{{}, {late: true}, {wide: -1}, {wide: -1, share: 1}}

// R1 to R3 hold after each step of any order.
func TestEveryInterleaving(t *testing.T) { exploreAll(t, scenarios, sessionModes...) }

// The bubble's clock stands still but when lapse moves it.
func TestEveryInterleavingWithTime(t *testing.T) { exploreAll(t, timed, sessionModes...) }

// Likewise for reserves of several jobs: no job goes to two clients, and none is reserved without its client being
// told.
func TestEveryInterleavingOfSeveral(t *testing.T) { exploreAll(t, several, sessionModes...) }

// Nobody waits while a job with the tags that it asks for is ready.
func TestEveryInterleavingWithTags(t *testing.T) { exploreAll(t, tagged, sessionModes...) }

// A put that waits is made or given up, never both, and no room is overlooked (RW2).
func TestEveryInterleavingOfPutsThatWait(t *testing.T) {
	exploreAll(t, roomScenarios, exploreMode{}, exploreMode{late: true})
}
