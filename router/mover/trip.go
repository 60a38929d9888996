package mover

import "sync/atomic"

// Trip counts the jobs that one call of a session moves to another shard.
type Trip struct {
	left   atomic.Int64 // that are under way; below 0 as long as the session has not counted all
	home   atomic.Int64 // of those that are not, jobs that came home
	lost   atomic.Bool  // a log has failed, and nobody knows how they end
	notify func()
}

// NewTrip is a trip that calls notify when it ends.
func NewTrip(notify func()) *Trip { return &Trip{notify: notify} }

// Await says how many jobs there are in all. When none of them is under way any more, the trip ends.
func (t *Trip) Await(jobs int64) { t.left.Add(jobs) }

// Over says whether all jobs have arrived or are home again.
func (t *Trip) Over() bool { return t.left.Load() == 0 }

// Home is how many jobs are home again by now.
func (t *Trip) Home() int { return int(t.home.Load()) }

// Lost says that jobs do not end their way before the next start.
func (t *Trip) Lost() bool { return t.lost.Load() }

func (t *Trip) fails() {
	t.lost.Store(true)
	t.notify()
}

func (t *Trip) ends(arrived bool) {
	if !arrived {
		t.home.Add(1)
	}
	if t.left.Add(-1) == 0 {
		t.notify()
	}
}
