package slow

import (
	"sync"
	"sync/atomic"
	"time"
)

// Command is one that took long, or several of the same kind that came together.
type Command struct {
	At       time.Time // when it was begun
	FrontEnd string
	Verb     string
	Tube     string // "" if it names none
	ID       uint64 // of its job; 0 if it names none
	Count    int    // how many came together
	Client   string // where it has come from
	Who      string // by the rules; "" without rules

	Turn time.Duration // it waited for its turn: others had the shard
	Ran  time.Duration
	Disk time.Duration // it waited until it was safe, and was answered
}

// Took is how long it took in all.
func (c *Command) Took() time.Duration { return c.Turn + c.Ran + c.Disk }

// DefaultBound is for New.
const DefaultBound = 100 * time.Millisecond

// kept is how many commands are remembered: some tens of kilobytes.
const kept = 400

// Log remembers slow commands and refusals. A nil one remembers nothing.
type Log struct {
	bound    atomic.Int64
	count    atomic.Uint64
	commands ring[Command]
	refusals ring[Refusal]
	reasons  [Reasons]atomic.Uint64
}

// ring has the latest of what it was told.
type ring[T any] struct {
	mu     sync.Mutex
	recent []T // next is the oldest once it is full
	next   int
}

func (r *ring[T]) add(one T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.recent) < kept {
		r.recent = append(r.recent, one)
		return
	}
	r.recent[r.next] = one
	r.next = (r.next + 1) % kept
}

// list are those that are remembered, the latest first.
func (r *ring[T]) list() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.recent)
	list := make([]T, 0, n)
	for i := range n {
		list = append(list, r.recent[(r.next+n-1-i)%n])
	}
	return list
}

// New makes a log of what takes longer than bound; 0 for nothing.
func New(bound time.Duration) *Log {
	l := new(Log)
	l.SetBound(bound)
	return l
}

// SetBound says what is slow from now on.
func (l *Log) SetBound(d time.Duration) { l.bound.Store(int64(d)) }

// Bound is the time from which on a command is slow, or 0 if none ever is.
func (l *Log) Bound() time.Duration {
	if l == nil {
		return 0
	}
	return time.Duration(l.bound.Load())
}

// Tell remembers a command.
func (l *Log) Tell(c Command) {
	l.count.Add(uint64(c.Count))
	l.commands.add(c)
}

// Count is how many commands have been slow.
func (l *Log) Count() uint64 {
	if l == nil {
		return 0
	}
	return l.count.Load()
}

// Recent are those that are remembered, the latest first.
func (l *Log) Recent() []Command {
	if l == nil {
		return nil
	}
	return l.commands.list()
}
