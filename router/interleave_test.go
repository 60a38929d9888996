package router

import (
	"flag"
	"testing"
)

// scenario is a world of a few actors, as world.tell reads it, of which all interleavings are run:
// once with logs that answer at once, once with logs that take their time.
type scenario struct {
	name   string
	shards int
	heavy  bool // modes but the first make too many for every day
	text   string
}

func both(d *bed) []string { return []string{d.tube(0, 0), d.tube(1, 0)} }

// scenarios are the pairs and triples in which a reserve over several shards
// can go wrong.
var scenarios = []scenario{
	{"one reserver, a producer at each shard", 2, true, `
		reserver 0.0 1.0: reserve
		producer 0.0: put
		producer 1.0: put:5`},
	{"a waiter over three shards, a producer at each", 3, true, `
		waiter 0.0 1.0 2.0 2.1: reserve!
		producer 0.0: put
		producer 1.0: put
		producer 2.1: put`},
	{"timeout against a put", 2, false, `
		reserver 0.0 1.0: reserve cancel
		producer 0.0: put`},
	{"timeout against puts at both shards", 2, true, `
		waiter 0.0 1.0: reserve! cancel remove reserve
		producer 0.0: put
		producer 1.0: put`},
	{"hang-up against a put", 2, false, `
		reserver 0.0 1.0: reserve hang-up
		producer 1.0: put`},
	{"hang-up of the first waiter, another behind it, a put", 2, true, `
		first 0.0 1.0: reserve! hang-up
		second 0.0 1.0: reserve!
		producer 1.0: put`},
	{"two reservers race for one job", 2, true, `
		producer 0.0: put!
		first 0.0 1.0: poll
		second 0.0 1.0: poll`},
	{"two poll, and there is a job for each all the time", 2, true, `
		producer 0.0: put:5!
		producer 1.0: put!
		first 0.0 1.0: poll
		second 0.0 1.0: poll
		each 1`},
	{"two reservers race for one job, and the loser waits", 2, false, `
		producer 1.0: put!
		first 0.0 1.0: reserve
		second 1.0: reserve`},
	{"a reserver over two shards and one over one, and a put", 2, true, `
		wide 0.0 1.0: reserve
		narrow 0.0: reserve
		producer 0.0: put`},
	{"two waiters, and puts at both shards", 2, false, `
		first 0.0 1.0: reserve!
		second 1.0 0.0: reserve!
		producer 0.0: put
		producer 1.0: put`},
	{"two waiters, one times out, one hangs up, and a put", 2, true, `
		first 0.0 1.0: reserve! cancel
		second mute 0.0 1.0: reserve! hang-up
		producer 1.0: put`},
	{"a reserver whose offer somebody deletes", 2, false, `
		producer 0.0: put!
		reserver 0.0 1.0: reserve
		remover: delete:1`},
	{"a reserver whose offer is paused away, and a put elsewhere", 2, true, `
		producer 0.0: put!
		reserver 0.0 1.0: reserve
		producer 1.0: pause:0.0:100 put`},
	{"a search of several turns, and jobs come and go", 1, false, `
		producer 0.0: put!
		searcher 0.0 0.1 0.2: reserve
		producer 0.1: delete:1 put
		producer 0.0: put`},
	{"two searches of several turns, and a put", 2, true, `
		first 0.0 0.1 1.0 1.1: reserve
		second 0.0 0.1: poll
		producer 0.0: put`},
	{"a holder releases while another reserves", 2, false, `
		producer 0.0: put!
		holder mute 0.0 1.0: reserve! release
		reserver 0.0 1.0: reserve cancel`},
	{"a holder hangs up while another waits and times out", 2, false, `
		producer 1.0: put!
		holder 1.0: reserve! hang-up
		waiter 0.0 1.0: reserve! cancel`},
}

// timed are those in which time passes.
var timed = []scenario{
	{"a TTR ends while another reserves", 2, true, `
		producer 0.0: put:1:1!
		holder fleeting 0.0 1.0: reserve!
		reserver 0.0 1.0: reserve
		producer 1.0: put
		lapse 1s`},
	{"a TTR ends, the holder deletes, another waits and times out", 2, false, `
		producer 0.0: put:1:1!
		holder fleeting 0.0 1.0: reserve! remove
		waiter 0.0 1.0: reserve! cancel
		lapse 1s`},
	{"a waiter's own deadline comes near, and a job comes", 2, false, `
		producer 0.0: put:1:2!
		waiter fleeting 0.0 1.0: reserve! reserve! alarm
		producer 1.0: put
		lapse 1.5s`},
	{"a waiter's own TTR ends and it gets its job back", 2, false, `
		producer 0.0: put:1:2!
		waiter fleeting 0.0 1.0: reserve! reserve! alarm cancel
		lapse 2s`},
	{"two tubes' pauses end while one waits and one polls", 2, false, `
		watcher 1.0:
		producer 0.0: put! pause:0.0:1! pause:1.0:1!
		waiter 0.0 1.0: reserve!
		poller 0.0 1.0: poll
		lapse 1s`},
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
