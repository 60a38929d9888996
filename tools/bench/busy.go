package main

import (
	"context"
	"time"
)

// A busy is another tube under full load for the length of the load.
type busy struct {
	target target
	load   *load
	run    *run
	done   bool
}

func (b *busy) prepare(context.Context) error {
	ld := *b.load
	ld.Kind = kindCycles
	b.run = &run{target: b.target, load: &ld, base: time.Now()}
	b.done = false
	return b.run.connect(1)
}

func (b *busy) begin() error {
	now := b.run.now()
	b.run.stop.Store(now + int64(b.load.Duration))
	l := b.run.loops[0]
	for _, c := range l.conns {
		if err := l.advance(c, now); err != nil {
			return err
		}
	}
	return nil
}

// step serves one connection, so that the neighbour comes after each.
func (b *busy) step() (bool, error) {
	if b.done {
		return false, nil
	}
	l := b.run.loops[0]
	n, err := waitEvents(l.epfd, l.events[:1], 0)
	if err != nil {
		return false, err
	}
	if n > 0 {
		if err := l.serve(l.conns[l.events[0].Fd], l.events[0].Events); err != nil {
			return false, err
		}
	}
	l.stopping = b.run.now() >= b.run.stop.Load()
	b.done, err = l.finished()
	return n > 0, err
}

func (b *busy) starts() time.Time { return time.Time{} }
func (b *busy) over() bool        { return b.done }

func (b *busy) end() {
	if b.run != nil {
		b.run.close()
	}
}
