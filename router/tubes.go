package router

import "sync"

// tubes lists all tubes of all shards in the order that list-tubes shows. The
// lock is off the way of jobs: only the birth and the end of a tube take it, and
// nobody holds it for long, however many tubes there are.
type tubes struct {
	mu  sync.Mutex
	set nameSet
}

func (t *tubes) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.add(name)
}

func (t *tubes) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.removeAt(t.set.index([]byte(name)))
}

func (t *tubes) snapshot() Names {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.snapshot()
}

func (t *tubes) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.count
}
