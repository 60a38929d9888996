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
