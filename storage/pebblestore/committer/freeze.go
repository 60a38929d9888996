package committer

// A checkpoint stops the committers of all shards in three steps: hold, settle, gate.
// Each step is done on all shards before the next begins. Then it copies, and thaws.

// Hold lets no turn be acknowledged from now on that is not applied.
func (c *Committer) Hold() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
	return c.failed
}

// Settle waits until everything that has been committed is applied.
func (c *Committer) Settle() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.taken
	if !c.open.empty() {
		last++
	}
	for c.failed == nil && c.applied < last {
		c.quiet.Wait()
	}
	return c.failed
}

// Gate lets no group be applied any more, and waits until none is.
func (c *Committer) Gate() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gated = true
	for c.failed == nil && c.applying {
		c.quiet.Wait()
	}
	return c.failed
}

func (c *Committer) Thaw() {
	c.mu.Lock()
	c.held, c.gated = false, false
	c.work.Broadcast()
	c.mu.Unlock()
}
