package cluster

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"beanfield/storage/must"
)

// harm has a node's copy of shard 1 be one that cannot be read, and has somebody read it.
func (c *trio) harm(name string) {
	c.Helper()
	m := c.stores[name]
	m.mu.Lock()
	m.damaged[1] = true
	m.mu.Unlock()
	must.Get(c.nodes[name].Verify(limited(c)))
}

func (m *memory) mended() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asides
}

// A copy that cannot be read is replaced by itself, once an hour; an operator may order it before. An owner hands
// over first, and a follower's does not disturb it.
func TestDamagedCopies(t *testing.T) {
	c := newTrio(t)
	name, term, others := c.three()
	other := others[0]
	m := c.stores[other]
	m.replaces = func(i int) {
		if _, err := os.Stat(c.nodes[other].replicas[i].lastReplaced()); err == nil && m.mended() == 0 {
			t.Error("it is said to be replaced before it is")
		}
	}
	c.harm(other)
	until(t, "it is replaced", func() bool { return m.mended() == 1 })
	c.fit("a", "b", "c")
	c.harm(other)
	until(t, "the status of another node tells that it was already", func() bool {
		return c.told(name, other, "less than an hour ago")
	})
	if !term.Holds() || m.mended() != 1 {
		t.Errorf("the owner goes on: %v; it was replaced %d times", term.Holds(), m.mended())
	}
	must.Do(t, c.nodes[name].Rebuild(limited(t), other, 1))
	until(t, "it is replaced again", func() bool { return m.mended() == 2 })
	c.fit("a", "b", "c")
	if !term.Holds() {
		t.Error("a follower's copy has ended a term")
	}
	c.harm(name)
	until(t, "the owner's is replaced", func() bool { return c.stores[name].mended() == 1 })
	if next, term := c.owner(); next == name {
		t.Error("it has not handed over")
	} else {
		c.append(term, "two;", "a", "b", "c")
	}
}

// Damaged nodes do not wait for each other: two of three have been mended within the hour, and all meet damage then,
// with which two cannot even open their copies. The third serves, and a copy that waits is as durable as before.
func TestDamagedCopiesGoOn(t *testing.T) {
	c := newTrio(t)
	name, term, others := c.three()
	for _, other := range others {
		c.harm(other)
		until(t, "it is replaced", func() bool { return c.stores[other].mended() == 1 })
		c.fit("a", "b", "c")
		c.harm(other)
	}
	c.harm(name)
	until(t, "all tell it", func() bool {
		for _, n := range c.nodes {
			if !n.Status().Shards[1].Damaged {
				return false
			}
		}
		return true
	})
	c.mu.Lock()
	c.unopened = map[string]bool{"a": true, "b": true}
	c.mu.Unlock()
	ctx := limited(t)
	go func() { _ = c.nodes[name].Move(ctx, others[0]) }() // which node has them then is seen below
	until(t, "the only one that can serve does", func() bool {
		next, its := c.owner()
		ended := its == term
		term = its
		return !ended && next == "c"
	})
	c.append(term, "two;", "a", "b", "c")
	until(t, "what all have is durable", func() bool {
		return !slices.ContainsFunc(c.nodes[name].Status().Nodes, func(s NodeStatus) bool {
			return s.Durable[1] != s.Places[1]
		})
	})
	if n := c.stores[name].mended(); n != 0 {
		t.Error("a damaged copy has taken the place of another one:", n)
	}
}

// A clock that was set back makes nobody wait for longer than the hour.
func TestMendedInTheFuture(t *testing.T) {
	r := &replica{node: newNode(Options{Dir: t.TempDir()})}
	if at := r.mayAgain(); !at.IsZero() {
		t.Error("nothing was replaced, and it may not be before", at)
	}
	must.Do(t, os.WriteFile(r.lastReplaced(), nil, 0o600))
	for _, off := range []time.Duration{-refetchEach / 2, 100 * refetchEach} {
		last := time.Now().Add(off)
		must.Do(t, os.Chtimes(r.lastReplaced(), last, last))
		wait := time.Until(r.mayAgain())
		if least := min(refetchEach, refetchEach+off) - time.Minute; wait < least || wait > least+time.Minute {
			t.Errorf("replaced %v from now: it waits %v", off, wait)
		}
	}
}

// aside is a store beside which a damaged one is kept.
type aside struct {
	Copies
	path string
}

func (a *aside) Aside(int) string { return a.path }
func (a *aside) Forget(int) error { a.path = ""; return nil }

// A checkpoint is fetched only if the disk has room for it. A damaged copy gives way, if that suffices.
func TestRoomForACheckpoint(t *testing.T) {
	copies := &aside{path: t.TempDir()}
	must.Do(t, os.WriteFile(filepath.Join(copies.path, "table"), make([]byte, 1<<20), 0o600))
	n := newNode(Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	n.copies = copies
	n.space = func(string) (free, all uint64, err error) {
		if free = leastRoom; copies.path == "" {
			free += 1 << 20
		}
		return free, 1 << 40, nil
	}
	r := &replica{node: n}
	if err := r.roomFor(0); err != nil || copies.path == "" {
		t.Errorf("there is room: %v; the damaged copy is in %q", err, copies.path)
	}
	if err := r.roomFor(2 << 20); err == nil || copies.path == "" {
		t.Errorf("there is no room in either case: %v; the damaged copy is in %q", err, copies.path)
	}
	if err := r.roomFor(1 << 20); err != nil || copies.path != "" {
		t.Errorf("there is room without the damaged copy, which is in %q: %v", copies.path, err)
	}
	if err := r.roomFor(1<<20 + 1); err == nil {
		t.Error("there is no room")
	}
	n.space = func(string) (free, all uint64, err error) { return 0, 0, os.ErrInvalid }
	if err := r.roomFor(1); !errors.Is(err, os.ErrInvalid) {
		t.Error(err)
	}
}
