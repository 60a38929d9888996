package committer

import "beanfield/storage"

// Fail ends all acknowledging: every ack from here on gets the error. Acks that are
// being told of success at this moment have really succeeded. Only the first call counts.
func (c *Committer) Fail(err error) {
	c.mu.Lock()
	if c.failed != nil {
		c.mu.Unlock()
		return
	}
	c.failed = err
	c.work.Broadcast()
	c.quiet.Broadcast()
	c.mu.Unlock()
	go c.reportFailure(err)
}

// reportFailure tells the error, in the order of the commits, to the turns that were
// waiting, and then to those that still come.
func (c *Committer) reportFailure(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.delivering {
		c.quiet.Wait()
	}
	var acks []storage.Ack
	for _, g := range []*Group{c.flight, c.open} {
		if g != nil {
			// The batches are not touched: the goroutine that applies, or the owner, has them.
			acks = append(acks, g.acks...)
			g.acks = nil
		}
	}
	c.flight = nil
	c.dead = append(acks, c.dead...)
	for !c.closing || len(c.dead) > 0 {
		if len(c.dead) == 0 {
			c.quiet.Wait()
			continue
		}
		acks := c.dead
		c.dead = nil
		c.mu.Unlock()
		for _, a := range acks {
			a.Committed(err)
		}
		c.mu.Lock()
	}
}

// refuse takes a turn after the failure.
func (c *Committer) refuse(ack storage.Ack) bool {
	c.open.reset()
	c.dead = append(c.dead, ack)
	c.quiet.Broadcast()
	return false
}
