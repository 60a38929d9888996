package queue

import (
	"slices"
	"testing"

	"beanfield/storage"
)

// L1: what the log is told of each operation, and what it is not.
func TestRecords(t *testing.T) {
	for _, c := range []struct {
		steps string
		want  []string
	}{
		{"a put 5 0 60 -> 1", []string{"put 1 ready"}},
		{"a put 5 9 60 -> 1", []string{"put 1 delayed"}},
		{"b reserve -> waiting\n a put 5 0 60 -> 1 => b:1", []string{"put 1 ready"}},
		{"a put 5 1 60 -> 1\n +1s", []string{"put 1 delayed"}},
		{"a put 5 0 1 -> 1\n b poll -> 1\n b touch 1\n +1s", []string{"put 1 ready"}},
		{"a put 5 0 1 -> 1\n b poll -> 1\n b detach", []string{"put 1 ready"}},
		{"a put 5 0 1 -> 1\n b reserve-job 1 -> 1\n b release 1 3 0", []string{"put 1 ready", "update 1 ready"}},
		{"a put 5 0 1 -> 1\n b poll -> 1\n b release 1 3 4", []string{"put 1 ready", "update 1 delayed"}},
		{"a put 5 0 1 -> 1\n b poll -> 1\n b bury 1 3", []string{"put 1 ready", "update 1 buried"}},
		{"a put 5 9 1 -> 1\n a kick 1 -> 1", []string{"put 1 delayed", "update 1 ready"}},
		{"a put 5 9 1 -> 1\n a kick-job 1", []string{"put 1 delayed", "update 1 ready"}},
		{"a put 5 9 1 -> 1\n a delete 1", []string{"put 1 delayed", "delete 1"}},
		{"a put 5 0 1 -> 1\n b poll -> 1\n b delete 1", []string{"put 1 ready", "delete 1"}},
		{"a delete 1 -> no\n a kick 1 -> 0\n a kick-job 1 -> no\n a pause default 1\n +1s", nil},
	} {
		w := newWorld(t)
		w.run(c.steps)
		if !slices.Equal(w.log.Records, c.want) {
			t.Errorf("%s:\nlogged %v\nwant   %v", c.steps, w.log.Records, c.want)
		}
	}
}

func TestRecordContents(t *testing.T) {
	w := newWorld(t)
	check := func(want storage.Job) {
		t.Helper()
		if got := *w.log.Jobs[want.ID]; got != want {
			t.Errorf("logged %+v\nwant   %+v", got, want)
		}
	}
	w.run("+2s\n a use one\n a put 5 3 60 11 -> 1")
	at := testEpoch + 2*second + 1
	want := storage.Job{
		ID: 1, Tube: "one", State: storage.Delayed, Pri: 5, Delay: 3, TTR: 60, Size: 11,
		Created:  at - 1, // kept to the millisecond
		Deadline: at + 3*second,
	}
	check(want)
	if body := w.log.Bodies[1]; body != "xxxxxxxxxxx" {
		t.Errorf("logged body %q", body)
	}
	w.run("a kick 1 -> 1\n b reserve-job 1 -> 1\n b release 1 6 4")
	want.Kicks, want.Reserves, want.Releases, want.Updated = 1, 1, 1, true
	want.Pri, want.Delay, want.Deadline = 6, 4, at+4*second
	check(want)
	w.run("+4s\n b reserve-job 1 -> 1\n +60s\n b reserve-job 1 -> 1\n b bury 1 7")
	want.State, want.Deadline, want.Pri, want.BuryRank = storage.Buried, 0, 7, 1
	want.Reserves, want.Timeouts, want.Buries = 3, 1, 1
	check(want)
	w.run("a kick 1 -> 1")
	want.State, want.BuryRank, want.Kicks = storage.Ready, 0, 2
	check(want)
}

// A large body comes in parts and is logged whole.
func TestLargeBodyIsLogged(t *testing.T) {
	w := newWorld(t)
	w.lastID, w.bodies[1] = 1, "hello world"
	w.user("a").apply(Op{Kind: Put, ID: 1, TTR: 1, Size: 11, Parts: [][]byte{[]byte("hello "), []byte("world")}})
	if w.log.Bodies[1] != "hello world" {
		t.Errorf("logged %q", w.log.Bodies[1])
	}
	w.run("a peek 1 -> 1\n a put 5 0 60 5000 -> 2\n a peek 2 -> 2\n b poll -> 1\n b poll -> 2\n b delete 2")
}

// A log without room: nothing is lost, nothing changes, the word says so.
func TestNoRoom(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put 5 0 60 -> 1
		a put 6 90 60 -> 2
		b poll -> 1
		c reserve -> waiting
		log full
		a put 0 0 60 -> noroom
		b release 1 5 9          # a worker can give its job back
		b reserve-job 1 -> 1
		b bury 1 5
		b reserve-job 1 -> 1
		log packed
		a put 0 0 60 -> noroom
		b release 1 0 0 -> failed
		b release 1 0 9 -> failed
		b bury 1 0 -> failed
		b release 2 0 0 -> no
		b bury 2 0 -> no
		a stats-job 1 -> state=reserved pri=5 releases=1 buries=1
		a stats-job 3 -> no
		a totals -> total=2
		b touch 1                # needs no room
		a kick 1 -> 1 => c:2     # nor do these
		b delete 1
		log room
		c bury 2 3
		a put 0 0 60 -> 5
		a peek-ready -> 5`)
	if !w.dir.Gone[3] || !w.dir.Gone[4] {
		t.Error("the id of a refused put is not given back")
	}
}

// When the directory takes no jobs, a put changes nothing and everything else
// goes on, with a log that is full as well.
func TestRefusedPut(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put 5 0 60 -> 1
		b poll -> 1
		c reserve -> waiting
		drain
		a put 0 0 60 -> refused
		log full
		a put 0 0 60 -> refused
		log room
		a totals -> total=1
		b release 1 0 0 => c:1
		c delete 1`)
}

// L2: what the log replays is what was there.
func TestRestore(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a use one
		a put 5 0 60 -> 1
		a put 5 10 60 -> 2
		a put 5 20 60 -> 3
		a put 5 0 60 -> 4
		a put 5 0 60 -> 5
		a put 5 0 60 0 -> 6
		a put 5 0 60 3000 -> 7
		b reserve-job 5 -> 5
		b reserve-job 4 -> 4
		b bury 5 8
		b bury 4 9
		b reserve-job 1 -> 1
		b release 1 2000 0
		b reserve-job 6 -> 6
		a kick 1 -> 1
		b reserve-job 5 -> 5
		b bury 5 7
		a pause one 50
		late 15s`)
	w.replay()
	w.run(`
		tick
		a use one
		a stats-tube one -> urgent=3 ready=4 delayed=1 buried=2 reserved=0 pause=0 total=0 deletes=0
		a stats-job 1 -> state=ready pri=2000 reserves=1 releases=1 age=15 ttr=60
		a stats-job 2 -> state=ready delay=10 age=15
		a stats-job 3 -> state=delayed left=5 delay=20
		a stats-job 5 -> state=buried pri=7 reserves=2 buries=2 kicks=1
		a stats-job 6 -> state=ready reserves=0
		a peek 6 -> 6
		a peek 7 -> 7
		a peek-buried -> 4
		a kick 1 -> 1
		a peek-buried -> 5
		b reserve-job 4 -> 4
		b bury 4 1
		a peek-buried -> 5
		b watch one
		b reserve -> 2`)
	w.replay() // the order of what was buried before and after is kept
	w.run("a use one\n a peek-buried -> 5\n a kick 1 -> 1\n a peek-buried -> 4")
}

// A job whose delay ended while the server was down, before the shard's clock
// begins, is ready at once.
func TestRestoreOverdue(t *testing.T) {
	for _, deadline := range []int64{testEpoch - 3600*second, testEpoch - 1, testEpoch, testEpoch + 1} {
		w := newWorld(t)
		r := storage.Job{
			ID: 1, Tube: "default", State: storage.Delayed, Delay: 5, TTR: 60, Size: 1,
			Created: deadline - 5*second, Deadline: deadline,
		}
		w.log.Put(&r, []byte("x"))
		w.bodies[1] = "x"
		later := r
		later.ID, later.Deadline = 2, testEpoch+9*second
		w.log.Put(&later, []byte("x"))
		w.bodies[2] = "x"
		w.replay()
		if next := w.s.Next(); next <= 0 || next > w.now {
			t.Errorf("deadline %d: next is %d", deadline-testEpoch, next)
		}
		w.run("tick\n a peek-ready -> 1\n a peek-delayed -> 2\n +9s\n a totals -> ready=2")
	}
}
