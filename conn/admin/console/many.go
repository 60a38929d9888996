package console

import (
	"cmp"
	"time"

	"beanfield/shard/queue"
)

// A purge or a move of many jobs takes them in handfuls, so that each handful is one group
// in the log.
const handful = 50

// eachHandful calls fn with the first jobs of a tube in the chosen states, again and again,
// until none is left or the time of a request is over, and counts what is left. fn returns
// how many it has dealt with; if it is none, somebody else has taken all of them, or there
// is an error.
func (a *action) eachHandful(c *Console, fn func([]queue.JobFigures) (int, error)) error {
	k := &a.ask
	for _, word := range k.States {
		if _, ok := states[word]; !ok {
			return wrong("jobs of this state cannot be chosen")
		}
	}
	if err := a.existing(k.Tube); err != nil {
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

// purge ends the jobs of a tube in the chosen states.
func (c *Console) purge(a *action) error {
	shard := c.router.TubeShard([]byte(a.ask.Tube))
	return a.eachHandful(c, func(list []queue.JobFigures) (done int, err error) {
		ops := make([]queue.Op, len(list))
		for i := range list {
			ops[i] = queue.Op{Kind: queue.Delete, ID: list[i].ID}
		}
		for _, op := range a.client.run(shard, false, ops...) {
			switch op.Status {
			case queue.OK:
				done++
			case queue.NotFound: // somebody has taken it
			default:
				err = failure(op.Status)
			}
		}
		return done, err
	})
}

// move makes the jobs of a tube in the chosen states jobs of another tube. They keep their
// priority, time to run, and what is left of their delay; buried ones become ready.
func (c *Console) move(a *action) error {
	if err := tubeNamed(a.ask.To); err != nil {
		return err
	}
	if a.ask.To == a.ask.Tube {
		return wrong("this is the same tube")
	}
	a.client.Finish(a.client.Use([]byte(a.ask.To)))
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
	a.client.Finish(a.client.Use([]byte(a.ask.To)))
	if a.answer.Done, err = a.moveSome(c, []queue.JobFigures{job}); err == nil && a.answer.Done == 0 {
		err = failure(queue.NotFound)
	}
	return err
}

// moveSome moves some jobs, one after the other: a job that cannot be put goes back to
// where it was.
func (a *action) moveSome(c *Console, list []queue.JobFigures) (done int, err error) {
	for i := range list {
		j := &list[i]
		op, err := a.client.one(queue.Op{Kind: queue.ReserveJob, ID: j.ID}, true)
		if err != nil {
			continue // somebody has taken it
		}
		delay := uint32(0)
		if j.State == queue.Delayed {
			delay = uint32(max(1, j.TimeLeft))
		}
		body := a.client.body(&op)
		if c.opts.Exposes(body) { // it was put before there was the rule
			a.giveBack(j, delay)
			return done, errExposes
		}
		put := newPut(body, j.Pri, cmp.Or(a.ask.Delay, delay), j.TTR)
		put = a.client.run(a.client.UsedShard(), true, put)[0]
		if err := failure(put.Status); err != nil {
			a.giveBack(j, delay)
			return done, err
		}
		if _, err := a.client.one(queue.Op{Kind: queue.Delete, ID: j.ID}, true); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// giveBack returns a job to where it was.
func (a *action) giveBack(j *queue.JobFigures, delay uint32) {
	op := queue.Op{Kind: queue.Release, ID: j.ID, Pri: j.Pri, Delay: delay}
	if j.State == queue.Buried {
		op.Kind = queue.Bury
	}
	a.client.one(op, true)
}
