package shard

import "sync/atomic"

// Pulse shows a supervisor whether a goroutine makes progress: the supervisor
// calls Alive from time to time, and the goroutine calls Beat in each of its rounds,
// which costs it one load.
type Pulse struct {
	asked atomic.Bool // since the last round
}

// Beat says that a round has ended.
func (p *Pulse) Beat() {
	if p.asked.Load() {
		p.asked.Store(false)
	}
}

// Alive reports whether a round has ended since the last call. A goroutine that is not
// working needs no rounds to be alive. A round that began just before the last call
// can have lasted since then, so one call alone that reports false proves nothing.
func (p *Pulse) Alive(working bool) bool {
	if !working {
		p.asked.Store(false)
		return true
	}
	return !p.asked.Swap(true)
}
