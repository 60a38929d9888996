package router

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/policy"
)

// restartKeys is above the ids of all jobs: keys have such ids in the model.
const restartKeys = 1 << 61

// restartFound is a job as a start has found it.
type restartFound struct {
	info queue.JobInfo
	body string
	tags queue.Tags
}

// observe asks for every job that there can be, and notes between which moments.
func (run *restartRun) observe() (found map[uint64]restartFound, window [2]int64) {
	found, window[0] = map[uint64]restartFound{}, run.now()
	for id := uint64(1); id <= run.router.ids.last.Load()+64; id++ {
		i, ok := run.router.Owner(id)
		if !ok {
			continue
		}
		o, there := run.look(i, id)
		if !there {
			continue
		}
		if home := ShardOf(o.info.Tube, run.router.Shards()); home != i {
			run.fatalf("job %d of %q is on shard %d, not %d", id, o.info.Tube, i, home)
		}
		found[id] = o
	}
	window[1] = run.now()
	run.count(len(found))
	return found, window
}

// look asks for one job in the name of nobody. The directory may have as many that are not there as purges have ended
// that the shards have still to forget.
func (run *restartRun) look(i int, id uint64) (o restartFound, there bool) {
	b := run.ask(i, queue.Op{Kind: queue.StatsJob, ID: id}, queue.Op{Kind: queue.Peek, ID: id})
	if b.Ops[0].Status == queue.NotFound && b.Ops[1].Status == queue.NotFound {
		if run.interred--; run.interred < 0 {
			run.fatalf("R2: job %d is in the directory, and nobody finds it", id)
		}
		return o, false
	}
	if b.Ops[0].Status != queue.OK || b.Ops[1].Status != queue.OK {
		run.fatalf("R2: job %d is in the directory: stats-job says %d, peek %d", id, b.Ops[0].Status, b.Ops[1].Status)
	}
	op := &b.Ops[1]
	o = restartFound{info: b.Jobs[b.Ops[0].From], body: string(b.Small(op)) + string(bytes.Join(op.Parts,
		nil))}
	if o.info.State != queue.Delayed { // which is not shown
		a := &queue.Ask{What: queue.AskGet, Queue: o.info.Tube, Index: id, Length: 1, Limits: &policy.Limits{}}
		if b := run.ask(i, queue.Op{Kind: queue.Service, Ask: a}); b.Ops[0].Status != queue.OK ||
			len(a.Found.Items) != 1 || a.Found.Items[0].Index != id {
			run.fatalf("job %d is not found by its index", id)
		}
		o.tags = a.Found.Tags(0)
	}
	if int(op.Size) != len(o.body) {
		run.fatalf("job %d: %d bytes are announced, %d came", id, op.Size, len(o.body))
	}
	return o, true
}

// restartReply waits for one batch.
type restartReply chan struct{}

func (c restartReply) Complete(*queue.Batch) { close(c) }

// ask runs operations on a shard in the name of nobody.
func (run *restartRun) ask(i int, ops ...queue.Op) *queue.Batch {
	done := make(restartReply)
	b := &queue.Batch{Ops: ops, Done: done}
	if !run.router.shards[i].Submit(b) {
		<-done
	}
	if b.Next < len(b.Ops) {
		run.fatalf("a batch of %d operations stopped after %d", len(b.Ops), b.Next)
	}
	return b
}

// count makes sure that there are no jobs but those found, and that the shards
// are in order.
func (run *restartRun) count(want int) {
	n := 0
	for i := range run.router.Shards() {
		sums := run.ask(i, queue.Op{Kind: queue.Totals}).Sums
		n += sums.Ready + sums.Delayed + sums.Buried
		if sums.Reserved != 0 {
			run.fatalf("shard %d: %d jobs are reserved at a start", i, sums.Reserved)
		}
		run.must(run.router.inOrder(i))
	}
	if n != want {
		run.fatalf("R2: the shards have %d jobs, the directory knows %d", n, want)
	}
}

// is compares a job with what a log says of it.
func (o *restartFound) is(v *restartRecord, window [2]int64) error {
	// A delayed item is not shown.
	want := *v.job
	if o.info.State != queue.Delayed && !slices.Equal(tagWords(o.tags), want.Tags) {
		return fmt.Errorf("job %d has tags %q, want %q", v.id, o.tags, want.Tags)
	}
	if want.State == naive.Delayed && want.Deadline <= window[1] {
		if want.Deadline+v.late[1] > window[0] { // just now: both will do
			want.State = naive.State(o.info.State.String())
		} else {
			want.State = naive.Ready
		}
	}
	if err := sameFigures(&want, &o.info); err != nil {
		return err
	}
	if o.body != want.Body {
		return fmt.Errorf("job %d has another body: %.40q of %d bytes, want %.40q of %d", v.id, o.body, len(o.body),
			want.Body, len(want.Body))
	}
	if err := within("age", o.info.Age, window[0]-want.Created-v.late[0], window[1]-want.Created); err != nil {
		return fmt.Errorf("job %d: %w", v.id, err)
	}
	if o.info.State != queue.Delayed {
		return nil
	}
	if err := within("time left", o.info.TimeLeft, want.Deadline-window[1],
		want.Deadline+v.late[1]-window[0]); err != nil {
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

// begun are a log's records at a start, when delays may be over.
func begun(state map[uint64]restartRecord, found map[uint64]restartFound) map[uint64]restartRecord {
	state = maps.Clone(state)
	for id, v := range state {
		if v.job != nil && found[id].info.State != queue.Delayed && v.job.State == naive.Delayed {
			j := *v.job
			j.State, j.Deadline = naive.Ready, 0
			v.job = &j
			state[id] = v
		}
	}
	return state
}
