package router

import (
	"slices"
	"sync"
)

// tubes lists all tubes of all shards in the order that list-tubes shows:
// that of creation, with a removed tube's place taken by the last one. The
// lock is off the way of jobs: only the birth and the end of a tube take it.
type tubes struct {
	mu    sync.Mutex
	names []string
	place map[string]int
}

func (t *tubes) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.place == nil {
		t.place = map[string]int{}
	}
	t.place[name] = len(t.names)
	t.names = append(t.names, name)
}

func (t *tubes) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, last := t.place[name], len(t.names)-1
	t.names[i] = t.names[last]
	t.place[t.names[i]] = i
	t.names[last] = ""
	t.names = t.names[:last]
	delete(t.place, name)
}

// each calls fn for every tube, in order. It works on a copy: a shard that has
// a tube to add must not wait until a hundred thousand names are worded.
func (t *tubes) each(fn func(name string)) {
	t.mu.Lock()
	names := slices.Clone(t.names)
	t.mu.Unlock()
	for _, name := range names {
		fn(name)
	}
}

func (t *tubes) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.names)
}
