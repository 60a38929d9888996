package router

import (
	"errors"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// breakable is a store in memory whose logs can fail.
type breakable struct {
	forgetful
	left []int // commits that succeed, by shard; -1 for all
}

func (b *breakable) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := b.forgetful.Open(n, shardOf)
	for i := range logs {
		logs[i] = breakableLog{logs[i], b, i}
	}
	return logs, err
}

type breakableLog struct {
	storage.Log
	of *breakable
	i  int
}

func (l breakableLog) Commit(ack storage.Ack) bool {
	switch left := &l.of.left[l.i]; {
	case *left == 0:
		ack.Committed(errors.New("the disk is gone"))
		return false
	case *left > 0:
		*left--
	}
	return true
}

// breakableRun has a worker that watches tubes in two shards, of which one has a log
// that takes n commits more. The other shard is whole.
func breakableRun(t *testing.T, n int) (run *restartRun, worker *restartClient, whole int) {
	t.Helper()
	store := &breakable{forgetful{storage.Memory()}, []int{-1, -1}}
	r := must.Get(New(Options{Shards: 2, Store: store}))
	run = &restartRun{router: r}
	worker = run.driven(t, "worker")
	whole = worker.session.UsedShard()
	for _, name := range restartTubes {
		if r.TubeShard([]byte(name)) != whole {
			must.Do(t, worker.complete(worker.session.Watch([]byte(name))))
			break
		}
	}
	store.left[1-whole] = n
	return run, worker, whole
}

// A poll that cannot be told what a failed log has does not say that there is nothing.
func TestPollWithAFailedLog(t *testing.T) {
	run, c, _ := breakableRun(t, 0)
	if err := c.complete(c.session.Reserve(true)); err != nil || c.session.Reservation.Status != queue.Failed {
		t.Errorf("it ends with %v, %v", c.session.Reservation.Status, err)
	}
	run.close(t, c)
}

// A reserve over several shards of which one has a log that fails, before its offer or
// before its wait, takes what there is in the others. If there is nothing it does not
// wait, but says so, and no shard keeps a place for it.
func TestReserveWithAFailedLog(t *testing.T) {
	for n := range 3 {
		run, c, whole := breakableRun(t, n)
		r, producer := run.router, run.driven(t, "producer")
		must.Do(t, c.complete(c.session.Reserve(false)))
		waited := c.session.Waiting()
		switch waits := run.waits.Load(); {
		case waited != (n == 2): // the offer and the wait have been committed
			t.Errorf("after %d commits that succeeded it waits: %v", n, waited)
		case waited && waits != 1:
			t.Errorf("it waits, and %d do", waits)
		case !waited && (c.session.Reservation.Status != queue.Failed || waits != 0):
			t.Errorf("it ends with %v, and %d wait", c.session.Reservation.Status, waits)
		}
		put := queue.Op{Kind: queue.Put, TTR: 60, Size: 5, Data: []byte("hello")}
		producer.do(t, whole, put)
		if got := c.session.Delivered(); got != waited {
			t.Errorf("after %d commits a job is delivered: %v", n, got)
		}
		if !waited {
			if err := c.complete(c.session.Reserve(false)); err != nil || c.session.Reservation.Status != queue.OK {
				t.Errorf("with a job in the other shard it ends with %v, %v", c.session.Reservation.Status, err)
			}
		}
		if err := r.states[whole].Check(); err != nil {
			t.Error(err)
		}
		run.close(t, c, producer)
	}
}
