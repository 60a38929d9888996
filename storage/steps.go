package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Steps are what a start is doing, so that the log can say it if that takes long. Steps overlap:
// each shard has its own. A nil *Steps takes no note of them.
type Steps struct {
	mu    sync.Mutex
	open  []*Step // in the order in which they began
	ended []*Step // those that took longest
}

// Step is one thing that a start does. A nil *Step takes no note of anything.
type Step struct {
	of    *Steps
	what  string
	unit  string
	began time.Time
	took  time.Duration // when it has ended
	done  atomic.Int64
}

// mostEnded is how many steps are remembered after their end.
const mostEnded = 5

// Begin notes that a step begins. Its progress is counted in units.
func (s *Steps) Begin(what, unit string) *Step {
	if s == nil {
		return nil
	}
	p := &Step{of: s, what: what, unit: unit, began: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, p)
	return p
}

// Count notes that a step has done one more of its units.
func (p *Step) Count() {
	if p != nil {
		p.done.Add(1)
	}
}

// End notes that a step has ended, in whatever way.
func (p *Step) End() {
	if p == nil {
		return
	}
	p.took = time.Since(p.began)
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(other *Step) bool { return other == p })
	s.ended = append(s.ended, p)
	slices.SortStableFunc(s.ended, func(a, b *Step) int { return cmp.Compare(b.took, a.took) })
	s.ended = s.ended[:min(len(s.ended), mostEnded)]
}

// Doing says which steps are under way, and for how long.
func (s *Steps) Doing() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list(s.open, func(p *Step) time.Duration { return time.Since(p.began) })
}

// Longest says which steps that have ended took longest.
func (s *Steps) Longest() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list(s.ended, func(p *Step) time.Duration { return p.took })
}

func list(steps []*Step, took func(*Step) time.Duration) string {
	var b strings.Builder
	for i, p := range steps {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %.1f s", p.what, took(p).Seconds())
		if n := p.done.Load(); n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, p.unit)
		}
	}
	return b.String()
}
