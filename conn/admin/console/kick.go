package console

import (
	"time"

	"beanfield/shard/queue"
)

// kickShare is how many jobs a shard is asked to kick at a time.
const kickShare = 500

// kick makes buried jobs ready or, if there are none, delayed ones: so many, or all.
func (c *Console) kick(a *action) error {
	if err := a.existing(a.ask.Tube); err != nil {
		return err
	}
	a.client.Finish(a.client.Use([]byte(a.ask.Tube)))
	if a.ask.Count == 0 {
		return c.kickAll(a)
	}
	if len(a.ask.States) > 0 {
		if left, err := a.kickable(a.ask.States[0]); err != nil || left == 0 {
			return err
		}
	}
	n, err := a.kickSome(a.ask.Count)
	a.answer.Done = n
	return err
}

// kickable is how many jobs of a state a kick would take now: delayed ones only while none is
// buried.
func (a *action) kickable(state string) (int, error) {
	info, err := a.client.stats(a.ask.Tube)
	switch {
	case err != nil:
		return 0, err
	case state == "buried":
		return info.Buried, nil
	case state != "delayed":
		return 0, wrong("jobs of this state cannot be kicked")
	case info.Buried > 0:
		return 0, nil
	}
	return info.Delayed, nil
}

func (a *action) kickSome(most uint32) (int, error) {
	op := a.client.run(a.client.UsedShard(), true, queue.Op{Kind: queue.Kick, Limit: most})
	return int(op.Count), failure(op.Status)
}

// kickAll does a part of the work, and says how much is left. A request that goes on with it
// says which jobs it has begun with: when the last buried one is ready, the delayed ones must
// not follow.
func (c *Console) kickAll(a *action) error {
	state := "buried"
	if len(a.ask.States) > 0 {
		state = a.ask.States[0]
	} else if n, err := a.kickable(state); err != nil {
		return err
	} else if n == 0 {
		state = "delayed"
	}
	for end := time.Now().Add(partTime); ; {
		left, err := a.kickable(state)
		if err != nil {
			return err
		}
		a.answer.State, a.answer.Left = state, left
		if left == 0 || time.Now().After(end) || a.ctx.Err() != nil {
			return nil
		}
		n, err := a.kickSome(uint32(min(kickShare, left)))
		a.answer.Done += n
		if err != nil {
			return err
		}
	}
}
