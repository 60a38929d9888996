package router

import (
	"bytes"
	"fmt"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// restartClient is a session and what is under way on it. One goroutine drives
// all clients, and the model is brought forward right behind each Submit, long before the answer.
type restartClient struct {
	Caller
	run    *restartRun
	name   string
	number int // in the model

	batch   *queue.Batch
	in, was int        // its shard and turn
	spec    []queue.Op // what the batch asked for
	expect  []restartAnswer
	flying  bool

	altering *queue.Altering // what the batch does with jobs, if it does

	delivered *naive.Job // to a wait, and not yet seen
}

// begin submits operations for one shard.
func (c *restartClient) begin(i int, ops ...queue.Op) {
	c.spec, c.expect = ops, nil
	c.batch, c.in = &queue.Batch{Ops: slices.Clone(ops), Alter: c.altering}, i
	c.submit()
}

func (c *restartClient) submit() {
	m := c.run.model
	l := m.logs[c.in]
	l.turns++
	c.was = l.turns
	from := c.batch.Next
	before := c.run.now()
	reached, done := c.run.submit(c.in, c.batch, func() bool { return c.Submit(c.in, c.batch, true) })
	m.at(before, c.run.now())
	for k := from; k < reached; k++ {
		m.trail = append(m.trail, c.describe(k))
		c.expect = append(c.expect, m.apply(c, &c.spec[k]))
	}
	c.flying = true
	m.endTurn(c.run)
	if done {
		c.hear()
	}
}

// describe is for reports.
func (c *restartClient) describe(k int) string {
	op := &c.spec[k]
	text := describeOp(op)
	if op.Kind == queue.AlterSeveral {
		text += fmt.Sprintf(" %d as %+v", op.Several.IDs, *c.altering)
	}
	return fmt.Sprintf("%s: %s on shard %d, turn %d", c.name, text, c.in, c.was)
}

// hear takes the answers of the batch.
func (c *restartClient) hear() {
	c.flying = false
	if l := c.run.model.logs[c.in]; c.run.synced() {
		l.safe = max(l.safe, c.was)
	}
	b := c.batch
	if b.Next != len(c.expect) {
		c.run.fatalf("%s: of %d operations %d were answered", c.name, len(c.expect), b.Next)
	}
	for k := range b.Ops[:b.Next] {
		if err := c.check(&b.Ops[k], c.expect[k]); err != nil {
			c.run.fatalf("%s: %v", c.describe(k), err)
		}
	}
	if b.Next > 0 && b.Ops[b.Next-1].Status == queue.Waiting {
		c.BeginWait()
	} else if b.Next < len(b.Ops) {
		c.submit()
	}
}

func (c *restartClient) check(got *queue.Op, want restartAnswer) error {
	if got.Status != statusOf[want.status] {
		return fmt.Errorf("status %d, want %s", got.Status, want.status)
	}
	if got.Status != queue.OK && got.Status != queue.Exists {
		return nil
	}
	m := c.run.model
	m.known = max(m.known, want.id)
	switch {
	case got.Kind == queue.AlterSeveral && (got.Count != want.count || got.Several.Refused != want.full):
		return fmt.Errorf("%d altered, room missed for %d, want %d, %d", got.Count, got.Several.Refused, want.count,
			want.full)
	case want.id != 0 && got.ID != want.id:
		return fmt.Errorf("job %d, want %d", got.ID, want.id)
	case (got.Kind == queue.Kick || got.Kind == queue.Truncate || onSeveral(got)) && got.Count != want.count:
		return fmt.Errorf("kicked %d, want %d", got.Count, want.count)
	case got.Kind == queue.StatsJob:
		return sameFigures(&want.shot, &c.batch.Jobs[got.From])
	case want.job != nil:
		return sameBody(want.job, got.Size, c.batch.Small(got), got.Parts)
	}
	return nil
}

func sameBody(j *naive.Job, size uint32, small []byte, large [][]byte) error {
	body := bytes.Join(append([][]byte{small}, large...), nil)
	if string(body) != j.Body || int(size) != len(j.Body) {
		return fmt.Errorf("job %d: size %d, body %.40q of %d bytes, want %.40q of %d", j.ID, size, body, len(body),
			j.Body, len(j.Body))
	}
	return nil
}

// sameFigures compares what does not depend on the time.
func sameFigures(j *naive.Job, got *queue.JobInfo) error {
	want := queue.JobInfo{
		ID: j.ID, Tube: j.Tube, State: got.State, Pri: j.Pri, Age: got.Age, Delay: j.Delay, TTR: j.TTR,
		TimeLeft: got.TimeLeft,
		Counters: j.Counters,
	}
	if *got != want || got.State.String() != string(j.State) {
		return fmt.Errorf("figures\n%+v, want\n%+v", *got, *j)
	}
	return nil
}

// poll looks whether something has come, without waiting.
func (c *restartClient) poll() {
	switch {
	case c.flying && c.Resume():
		c.hear()
	case !c.flying && c.delivered != nil && c.Delivered():
		c.collect()
	}
}

// settle waits for all that is due.
func (c *restartClient) settle() {
	for c.flying {
		c.Finish(c.Resume())
		c.hear()
	}
	if c.delivered == nil {
		return
	}
	for !c.Delivered() {
		<-c.bell
	}
	c.collect()
}

// collect ends a wait that has brought a job.
func (c *restartClient) collect() {
	c.Finish(c.EndWait())
	j := c.delivered
	c.delivered = nil
	c.reserved(restartAnswer{status: naive.OK, id: j.ID, job: j})
}

// reserved checks what a reserve over several shards, or a wait, has brought.
func (c *restartClient) reserved(want restartAnswer) {
	res := &c.Reservation
	if res.Status != statusOf[want.status] || res.ID != want.id {
		c.run.fatalf("%s: a reserve brought status %d, job %d; want %s, %d", c.name, res.Status, res.ID, want.status,
			want.id)
	}
	if want.job != nil {
		c.run.model.known = max(c.run.model.known, want.id)
		c.run.must(sameBody(want.job, res.Size, res.Small, res.Large))
	}
}

func (c *restartClient) idle() bool { return !c.flying && c.delivered == nil && !c.Waiting() }

// leave closes the session.
func (c *restartClient) leave() {
	c.settle()
	m, before := c.run.model, c.run.now()
	var shards []int
	for _, f := range c.live {
		shards = append(shards, f.shard)
	}
	c.Finish(c.Close())
	m.at(before, c.run.now()) // jobs that it held may be delayed from then on
	m.leave(c, shards)
	for _, i := range shards {
		if l := m.logs[i]; c.run.synced() {
			l.safe = l.turns
		}
	}
}

func describeOp(op *queue.Op) string {
	names := map[queue.Kind]string{
		queue.PutAll: "put all", queue.AlterSeveral: "alter several", queue.Put: "put", queue.Reserve: "reserve",
		queue.ReserveJob: "reserve-job", queue.Delete: "delete",
		queue.Release: "release", queue.Bury: "bury", queue.Touch: "touch", queue.Kick: "kick",
		queue.KickJob: "kick-job",
		queue.Peek:    "peek", queue.PeekReady: "peek-ready", queue.PeekDelayed: "peek-delayed",
		queue.PeekBuried: "peek-buried",
		queue.StatsJob:   "stats-job", queue.Use: "use", queue.Watch: "watch", queue.Ignore: "ignore",
		queue.Pause: "pause", queue.Truncate: "truncate",
		queue.DeleteSeveral: "delete several", queue.ReleaseSeveral: "release several",
		queue.BurySeveral: "bury several", queue.TouchSeveral: "touch several",
	}
	said := ""
	if op.Options != nil {
		said = fmt.Sprintf(" %+v", *op.Options)
	}
	return fmt.Sprintf("%s id=%d pri=%d delay=%d size=%d bound=%d%s", names[op.Kind], op.ID, op.Pri, op.Delay, op.Size,
		op.Limit, said)
}
