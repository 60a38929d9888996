package naive

import (
	"slices"
	"strings"
)

// Get looks for items of a queue, and may wait for one.
type Get struct {
	Name   string // of who asks
	Queue  string
	From   uint64
	Newest bool // it looks at the last ones
	Tags   []string
	Length int
	Take   bool
	Called uint64 // the job that it was called for; 0 while it waits
}

// Get finds items, the oldest or the newest, and may end them. It reports false if there is
// none, and then the get may wait.
func (m *Queue) Get(g Get, wait bool) bool {
	var found []uint64
	for _, j := range m.In(g.Queue) {
		if (j.State == Ready || j.State != Delayed && !g.Take) && Has(j.Tags, g.Tags) && (g.Newest || j.ID >= g.From) {
			found = append(found, j.ID)
		}
	}
	if n := len(found) - g.Length; n > 0 && g.Newest {
		found = found[n:]
	} else if n > 0 {
		found = found[:g.Length]
	}
	m.Found = found
	if g.Take {
		for _, id := range found {
			m.endForAll(m.Job(id))
		}
	}
	m.unget(g.Name)
	if len(found) == 0 && wait {
		m.need(g.Queue)
		m.Gets = append(m.Gets, &g)
	}
	m.sweep()
	return len(found) > 0
}

// Unget forgets a get. The item that it was called for, and leaves, is for another.
func (m *Queue) Unget(name string) {
	m.unget(name)
	m.sweep()
}

func (m *Queue) unget(name string) {
	i := slices.IndexFunc(m.Gets, func(g *Get) bool { return g.Name == name })
	if name == "" || i < 0 {
		return
	}
	g := m.Gets[i]
	m.Gets = slices.Delete(m.Gets, i, i+1)
	if j := m.Job(g.Called); j != nil && j.State == Ready && j.Tube == g.Queue {
		m.offer(j, true)
	}
}

// offer calls the gets that wait for an item: those that ask for its request id, then the
// others. Of those that take it only the first is called.
func (m *Queue) offer(j *Job, taking bool) {
	for _, byID := range []bool{true, false} {
		for _, take := range []bool{false, true} {
			for _, g := range m.Gets {
				asks := slices.ContainsFunc(g.Tags, func(tag string) bool {
					return strings.HasPrefix(tag, "requestId=")
				})
				if g.Queue != j.Tube || g.Called != 0 || asks != byID || g.Take != take || j.ID < g.From ||
					!Has(j.Tags, g.Tags) {
					continue
				}
				if take && !taking {
					break
				}
				taking = taking && !take
				g.Called = j.ID
				m.Called = append(m.Called, g.Name)
			}
		}
	}
}
