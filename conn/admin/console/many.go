package console

import (
	"net/http"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
)

// A move of many jobs takes them in handfuls, so that each handful is one group in the log.
const handful = 50

// eachHandful calls fn with the first jobs of a tube in the chosen states, again and again,
// until none is left or the time of a request is over, and counts what is left. fn returns
// how many it has dealt with; if it is none, somebody else has taken all of them, or there
// is an error.
func (a *action) eachHandful(c *Console, fn func([]queue.JobFigures) (int, error)) error {
	k := &a.ask
	if _, err := a.chosen(); err != nil {
		return err
	}
	end := time.Now().Add(partTime)
	for _, word := range k.States {
		for time.Now().Before(end) && a.ctx.Err() == nil {
			list, ok := c.router.Heads(a.ctx, k.Tube, states[word], handful)
			if !ok {
				return busy
			}
			if len(list) == 0 {
				break
			}
			n, err := fn(list)
			a.answer.Done += n
			if err != nil {
				return err
			}
		}
	}
	info, err := a.client.stats(k.Tube)
	if err != nil {
		return nil // it ended with its last job
	}
	for _, word := range k.States {
		a.answer.Left += map[string]int{"ready": info.Ready, "delayed": info.Delayed, "buried": info.Buried}[word]
	}
	return nil
}

// chosen are the states of the jobs that are meant, in a tube that there must be.
func (a *action) chosen() (of queue.States, err error) {
	for _, word := range a.ask.States {
		st, ok := states[word]
		if !ok {
			return 0, wrong("jobs of this state cannot be chosen")
		}
		of = of.With(st)
	}
	return of, a.existing(a.ask.Tube)
}

// purge ends the jobs of a tube in the chosen states.
func (c *Console) purge(a *action) error {
	of, err := a.chosen()
	if err != nil || of == 0 {
		return err
	}
	shard := c.router.TubeShard([]byte(a.ask.Tube))
	op := a.client.run(shard, false, queue.Op{Kind: queue.Truncate, Data: []byte(a.ask.Tube), States: of})
	a.answer.Done = int(op.Count)
	return failureOf(op.Status, noTube)
}

// move makes the jobs of a tube in the chosen states jobs of another tube. They keep their
// ids, and what is left of their delay; buried ones become ready.
func (c *Console) move(a *action) error {
	if err := tubeNamed(a.ask.To); err != nil {
		return err
	}
	if a.ask.To == a.ask.Tube {
		return wrong("this is the same tube")
	}
	return a.eachHandful(c, func(list []queue.JobFigures) (int, error) { return a.moveSome(c, list) })
}

// moveJob makes one job that nobody holds a job of another tube, with the delay that is asked
// for or, if there is none, what is left of its own.
func (c *Console) moveJob(a *action) error {
	if err := tubeNamed(a.ask.To); err != nil {
		return err
	}
	op, err := a.client.one(queue.Op{Kind: queue.StatsJob, ID: a.ask.ID}, false)
	if err != nil {
		return err
	}
	job := queue.JobFigures{JobInfo: a.client.batch.Jobs[op.From]}
	if job.Tube == a.ask.To {
		return wrong("this is the same tube")
	}
	if a.answer.Done, err = a.moveSome(c, []queue.JobFigures{job}); err == nil && a.answer.Done == 0 {
		err = failure(queue.NotFound)
	}
	return err
}

// moveSome moves some jobs of a tube that are in one state. It ends before one that may not be moved.
func (a *action) moveSome(c *Console, list []queue.JobFigures) (done int, err error) {
	var ids []uint64
	for i := range list {
		op, gone := a.client.one(queue.Op{Kind: queue.Peek, ID: list[i].ID}, false)
		if gone != nil {
			continue // somebody has taken it
		}
		if c.opts.Exposes(a.client.body(&op)) { // it was put before there was the rule
			err = errExposes
			break
		}
		ids = append(ids, list[i].ID)
	}
	if len(ids) == 0 {
		return 0, err
	}
	l := router.Listing{Filter: queue.Filter{Tube: list[0].Tube}, Alter: &queue.Altering{To: a.ask.To,
		Delay: int64(a.ask.Delay) * 1e9}}
	switch {
	case a.ask.Delay > 0:
		l.Alter.As = queue.Delayed
	case list[0].State == queue.Buried:
		l.Alter.As = queue.Ready
	}
	a.client.Finish(a.client.Alter(&l, ids))
	switch {
	case l.Status != queue.OK:
		err = failure(l.Status)
	case l.Altered.Full > 0:
		err = errFull
	}
	return l.Altered.Done, err
}

// errFull refuses a move into a tube that is full.
var errFull = &problem{http.StatusInsufficientStorage,
	"the other tube is full, or a job cannot be read: the rest stays where it is"}
