package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// restartFound is a job as a start has found it.
type restartFound struct {
	info   queue.JobInfo
	body   string
	tags   queue.Tags
	groups []queue.SearchInfo // for each group of its queue

	// it is no job but what a queue is
	queue, ended bool
	names        []string // of its groups
}

// observe asks for every job that there can be, and notes between which moments.
func (run *restartRun) observe() (map[uint64]restartFound, [2]int64, error) {
	found := map[uint64]restartFound{}
	window := [2]int64{run.now()}
	for id := uint64(1); id <= run.router.ids.last.Load()+64; id++ {
		i, ok := run.router.Owner(id)
		if !ok {
			continue
		}
		o, err := run.look(i, id)
		if err != nil {
			return nil, window, err
		}
		if home := ShardOf(o.info.Tube, run.router.Shards()); home != i {
			return nil, window, fmt.Errorf("job %d of %q is on shard %d, not %d", id, o.info.Tube, i, home)
		}
		found[id] = o
	}
	window[1] = run.now()
	passed := 0
	for _, o := range found {
		if o.info.State == queue.Passed {
			passed++
		}
	}
	if err := run.count(len(found) - passed); err != nil {
		return nil, window, err
	}
	return found, window, run.findQueues(found)
}

// look asks for one job in the name of nobody.
func (run *restartRun) look(i int, id uint64) (restartFound, error) {
	b, err := run.ask(i, queue.Op{Kind: queue.StatsJob, ID: id}, queue.Op{Kind: queue.Peek, ID: id})
	if err != nil {
		return restartFound{}, err
	}
	if b.Ops[0].Status == queue.NotFound && b.Ops[1].Status == queue.NotFound {
		return run.lookPassed(i, id)
	}
	if b.Ops[0].Status != queue.OK || b.Ops[1].Status != queue.OK {
		return restartFound{}, fmt.Errorf("R2: job %d is in the directory: stats-job says %d, peek %d", id, b.Ops[0].Status, b.Ops[1].Status)
	}
	op := &b.Ops[1]
	o := restartFound{info: b.Jobs[b.Ops[0].From], body: string(b.Bytes[op.From:op.To])}
	for _, p := range op.Parts {
		o.body += string(p)
	}
	if o.tags, err = run.tagsOf(i, id, o.info.Tube, o.info.State); err != nil {
		return o, err
	}
	if int(op.Size) != len(o.body) {
		return o, fmt.Errorf("job %d: %d bytes are announced, %d came", id, op.Size, len(o.body))
	}
	return o, nil
}

// restartReply waits for one batch.
type restartReply chan struct{}

func (c restartReply) Complete(*queue.Batch) { close(c) }

func (run *restartRun) ask(i int, ops ...queue.Op) (*queue.Batch, error) {
	done := make(restartReply)
	b := &queue.Batch{Ops: ops, Done: done}
	if !run.router.shards[i].Submit(b) {
		<-done
	}
	if b.Next < len(b.Ops) {
		return nil, fmt.Errorf("a batch of %d operations stopped after %d", len(b.Ops), b.Next)
	}
	return b, nil
}

// count makes sure that there are no jobs but those found, and that the shards
// are in order.
func (run *restartRun) count(want int) error {
	n := 0
	for i := range run.router.Shards() {
		b, err := run.ask(i, queue.Op{Kind: queue.Totals})
		if err != nil {
			return err
		}
		n += b.Sums.Ready + b.Sums.Delayed + b.Sums.Buried
		if b.Sums.Reserved != 0 {
			return fmt.Errorf("shard %d: %d jobs are reserved at a start", i, b.Sums.Reserved)
		}
		if err := run.router.states[i].Check(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
	}
	if n != want {
		return fmt.Errorf("R2: the shards have %d jobs, the directory knows %d", n, want)
	}
	return nil
}

// is compares a job, or what a queue is, with what a log says of it.
func (o *restartFound) is(v *restartRecord, window [2]int64) error {
	if q := v.queue; q != nil {
		if o.ended != q.Ended || !slices.Equal(o.names, q.Names()) {
			return fmt.Errorf("queue %s has groups %q, ended %t, want %q, %t", v.tube, o.names, o.ended, q.Names(), q.Ended)
		}
		return nil
	}
	// A delayed item is not shown.
	want := *v.job
	if o.info.State != queue.Delayed && !slices.Equal(tagWords(o.tags), want.Tags) {
		return fmt.Errorf("job %d has tags %q, want %q", v.id, o.tags, want.Tags)
	}
	passed := want.State == naive.Passed
	if want.State == naive.Delayed && want.Deadline <= window[1] {
		if want.Deadline+v.late[1] > window[0] { // just now: both will do
			want.State = naive.State(o.info.State.String())
		} else {
			want.State = naive.Ready
		}
	}
	if err := sameFigures(&want, &o.info); err != nil && !passed {
		return err
	}
	if passed && (o.info.State != queue.Passed || o.info.Tube != v.tube) {
		return fmt.Errorf("job %d is %+v, and only views should have it", v.id, o.info)
	}
	if o.body != want.Body {
		return fmt.Errorf("job %d has another body: %.40q of %d bytes, want %.40q of %d", v.id, o.body, len(o.body), want.Body, len(want.Body))
	}
	if passed {
		return nil
	}
	if err := within("age", o.info.Age, window[0]-want.Created-v.late[0], window[1]-want.Created); err != nil {
		return fmt.Errorf("job %d: %w", v.id, err)
	}
	if o.info.State != queue.Delayed {
		return nil
	}
	if err := within("time left", o.info.TimeLeft, want.Deadline-window[1], want.Deadline+v.late[1]-window[0]); err != nil {
		return fmt.Errorf("job %d: %w", v.id, err)
	}
	return nil
}

// within compares seconds with nanoseconds.
func within(what string, seconds, lo, hi int64) error {
	if seconds < lo/1e9 || seconds > hi/1e9 {
		return fmt.Errorf("%s %d s, want %d to %d", what, seconds, lo/1e9, hi/1e9)
	}
	return nil
}
