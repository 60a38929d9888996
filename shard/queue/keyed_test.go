package queue

import (
	"slices"
	"testing"
)

// A key is taken while its job lives, whatever becomes of that (Y1).
func TestKeyWhileTheJobLives(t *testing.T) {
	newWorld(t).run(`
		a put-with key=k           -> 1
		b put-with key=k           -> exists 1
		b put-with key=l           -> 2
		b put-with key=k tube=one  -> 3
		a reserve-job 1            -> 1
		b put-with key=k           -> exists 1
		a release 1 0 1            -> ok
		b put-with key=k           -> exists 1
		+1s
		a reserve                  -> 1
		a bury 1 0                 -> ok
		b put-with key=k           -> exists 1
		restart
		b put-with key=k           -> exists 1
		b put-with key=l           -> exists 2
		b put-with key=k tube=one  -> exists 3
		b delete 1                 -> ok
		b put-with key=k           -> 4
		b put-with key=k           -> exists 4
		restart
		b put-with key=k           -> exists 4
		b truncate default         -> 2
		b put-with key=l           -> 5
		b put-with key=k           -> 6
	`)
}

// With a window the key stays taken, also if the job has ended, and over restarts (Y2).
func TestKeyWithAWindow(t *testing.T) {
	newWorld(t).run(`
		a put-with key=k for=10s -> 1
		+4s
		a delete 1               -> ok
		a put-with key=k         -> exists 1
		restart
		+5s
		a put-with key=k         -> exists 1
		+999ms
		a put-with key=k         -> exists 1
		+1ms
		a put-with key=k for=1s  -> 3   # the window's record had the id 2
		+2s                             # the job outlives the window
		a put-with key=k         -> exists 3
		restart
		a put-with key=k         -> exists 3
		a delete 3               -> ok
		a put-with key=k         -> 4
	`)
}

// A window that ends while the server is down has ended.
func TestWindowEndsDuringARestart(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put-with key=k for=10s -> 1
		a delete 1               -> ok
		late 20s
		restart
		b put-with key=k         -> 3
	`)
	if len(w.log.Spent) != 0 {
		t.Errorf("the log still has %v", w.log.Spent)
	}
}

// Who sends a put again is told the same id, for some time, whatever has become of the job.
func TestPutOnce(t *testing.T) {
	newWorld(t).run(`
		a put-with once=o key=k -> 1
		a put-with once=o key=k -> 1
		b put-with once=o       -> 1
		b put-with once=p key=k -> exists 1
		a delete 1              -> ok
		a put-with once=o key=k -> 1
		restart
		a put-with once=o key=k -> 1
		drain
		a put-with once=o       -> 1
		restart
		log full
		a put-with once=o       -> 1
		a put-with once=q       -> noroom
		log room
		+299999ms
		a put-with once=o       -> 1
		+1ms
		a put-with once=o       -> 4   # the put that found no room had the id 3
		+300s                          # while the job lives
		a put-with once=o       -> 5
		restart
		a put-with once=o       -> 5
	`)
}

// What is left of a job is logged in the turn in which it ends, and removed when its time has come.
func TestSpentRecords(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put-with key=k for=10s once=o -> 1
		a put-with key=l -> 2
		a delete 2 -> ok
		a delete 1 -> ok
		+10s
		+290s
	`)
	want := []string{"put 1 ready", "put 2 ready", "delete 2", "delete 1", "spent 1", "spent 1", "forget 1", "forget 1"}
	if !slices.Equal(w.log.Records, want) {
		t.Errorf("logged is %q, want %q", w.log.Records, want)
	}
	if w.s.extra.keys.N != 0 || w.s.Next() != 0 {
		t.Errorf("%d keys are left", w.s.extra.keys.N)
	}
}

// A log without room for updates takes no windows, and the job's end is logged all the same.
func TestNoRoomForWindows(t *testing.T) {
	newWorld(t).run(`
		a put-with key=k for=10s -> 1
		log packed
		a delete 1               -> ok
		a put-with key=k         -> exists 1
		log room
		restart
		a put-with key=k         -> 2
	`)
}

// A job that goes to another tube gives its key up: the window goes on where it was.
func TestKeyOfADeadLetter(t *testing.T) {
	newWorld(t).run(`
		policy default deliveries=1 dead=rear
		a put-with key=k                   -> 1
		a put-with key=l for=10s           -> 2
		a reserve                          -> 1
		a reserve                          -> 2
		a release 1 0 0                    -> ok
		a release 2 0 0                    -> ok
		a put-with key=l                   -> exists 2
		a put-with key=k                   -> 4
		a put-with key=k tube=default;rear -> 5
		a put-with key=l tube=default;rear -> 6
		restart
		a put-with key=l                   -> exists 2
		a put-with key=k                   -> exists 4
		a delete 1                         -> ok
		a delete 2                         -> ok
		a put-with key=k tube=default;rear -> exists 5
		+10s
		a put-with key=l                   -> 7
	`)
}

// Times may have milliseconds; stats show whole seconds.
func TestMilliseconds(t *testing.T) {
	newWorld(t).run(`
		a put-with delay=250ms ttr=1250ms -> 1
		a stats-job 1 -> delay=1 ttr=2 state=delayed
		a poll        -> timeout
		+249ms
		a poll        -> timeout
		+1ms
		a poll        -> 1
		+1s
		a touch 1     -> ok
		+1249ms
		a stats-job 1 -> state=reserved
		+1ms
		a stats-job 1 -> state=ready timeouts=1
		restart
		tick
		a poll        -> 1
		+1249ms
		a stats-job 1 -> state=reserved
		+1ms
		a stats-job 1 -> state=ready
	`)
}
