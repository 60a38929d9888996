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
	n, err := a.kickSome(a.ask.Count)
	a.answer.Done = n
	return err
}

func (a *action) kickSome(most uint32) (int, error) {
	op := a.client.run(a.client.UsedShard(), true, queue.Op{Kind: queue.Kick, Limit: most})[0]
	return int(op.Count), failure(op.Status)
}

// kickAll does a part of the work, and says how much is left. A request that goes on with it
// says which jobs it has begun with: when the last buried one is ready, the delayed ones must
// not follow.
func (c *Console) kickAll(a *action) error {
	var state string
	for end := time.Now().Add(partTime); ; {
		info, err := a.client.stats(a.ask.Tube)
		if err != nil {
			return err
		}
		switch {
		case state != "":
		case len(a.ask.States) > 0:
			state = a.ask.States[0]
		case info.Buried > 0:
			state = "buried"
		default:
			state = "delayed"
		}
		left, ok := map[string]int{"buried": info.Buried, "delayed": info.Delayed}[state]
		if !ok {
			return wrong("jobs of this state cannot be kicked")
		}
		if state == "delayed" && info.Buried > 0 {
			left = 0 // somebody has buried jobs meanwhile, and a kick would take those
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
