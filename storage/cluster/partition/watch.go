package partition

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	// Pace is the time between two ticks, Each that between two presences.
	Pace = 100 * time.Millisecond
	Each = 200 * time.Millisecond

	Silent  = 20  // ticks without a presence until a node is not heard
	Missed  = 14  // ticks without a presence until others are told so
	Fresh   = 30  // ticks after the engine was started until it may rest; twice as many when it was started again
	Most    = 6   // times that these are doubled
	Calm    = 600 // ticks without a rest until that is forgotten
	Settled = 10  // ticks until what is said of the links of a node that has appeared counts
)

// Presence is what nodes tell each other.
type Presence struct {
	From       string      `json:"from"`
	Hears      []string    `json:"hears"` // the other nodes that it hears
	Rests      bool        `json:"rests"` // its engine does
	Lacks      bool        `json:"lacks"` // its engine does not have all yet that the others have
	Life       uint64      `json:"life"`  // drawn when its process began; 0: an older program
	Ran        int         `json:"ran"`   // ticks of that process
	Since      uint64      `json:"since"` // which decision about the members has let it in
	Duplicates []Duplicate `json:"duplicates,omitempty"`
}

// Watch is what a node knows of who hears whom. It is safe for concurrent use.
type Watch struct {
	node string

	mu         sync.Mutex
	peers      map[string]*peer
	rests      bool
	lacks      bool
	fresh      int // ticks until the engine may rest
	wakes      int // how often it has ended a rest, without a Calm between them
	calm       int // ticks until that is forgotten
	duplicates duplicates
}

type peer struct {
	silent int // ticks since it was heard
	age    int // ticks since it has appeared; negative: it was never heard
	tells  bool
	last   Presence
}

// New is the watch of a node whose engine has just been started.
func New(node string, nodes []string) *Watch {
	w := &Watch{node: node, peers: map[string]*peer{}, fresh: Fresh}
	w.duplicates = duplicates{node: node, life: max(1, rand.Uint64()), heard: map[string]*lives{}}
	w.Members(nodes)
	for _, p := range w.peers {
		p.age = -1
	}
	return w
}

// Members says which nodes there are from now on. One that has come counts as heard (I2).
func (w *Watch) Members(nodes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.peers {
		if !slices.Contains(nodes, name) {
			delete(w.peers, name)
		}
	}
	for _, name := range nodes {
		if name != w.node && w.peers[name] == nil {
			w.peers[name] = new(peer)
		}
	}
}

// LetIn says since which decision about the members this node is one.
func (w *Watch) LetIn(since uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.duplicates.since = since
}

// Presence is what is to be told to all now.
func (w *Watch) Presence() Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Presence{From: w.node, Hears: w.heard(Missed), Rests: w.rests, Lacks: w.lacks, Life: w.duplicates.life,
		Ran: w.duplicates.ran, Since: w.duplicates.since, Duplicates: w.duplicates.known()}
}

// Heard takes another node's presence.
func (w *Watch) Heard(k Presence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.duplicates.hear(k)
	if p := w.peers[k.From]; p != nil {
		p.hear()
		p.last, p.tells = k, true
	}
}

// Sign says that something else came from another node. One with an older program tells no presence; whom it hears is
// not known, so nothing is held against it.
func (w *Watch) Sign(from string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.peers[from]; p != nil {
		p.hear()
	}
}

func (p *peer) hear() {
	if p.age < 0 || p.silent >= Missed {
		p.age = 0
	}
	p.silent = 0
}

// Tick says that this process has run, and a Pace has passed.
func (w *Watch) Tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.duplicates.tick()
	w.fresh = max(0, w.fresh-1)
	if w.calm--; w.calm <= 0 && !w.rests {
		w.wakes = 0
	}
	for _, p := range w.peers {
		if p.silent++; p.age >= 0 {
			p.age++
		}
	}
}

// Started says that the engine was started: to rest, or with all that it is for.
func (w *Watch) Started(rests bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rests = rests
	if !rests {
		w.fresh, w.calm = Fresh<<w.wakes, Fresh<<w.wakes+Calm
		w.wakes = min(w.wakes+1, Most)
	}
}

// heard are the nodes that were silent for fewer ticks than that.
func (w *Watch) heard(ticks int) (names []string) {
	for name, p := range w.peers {
		if p.age >= 0 && p.silent < ticks {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Lack says whether the engine does not have all yet that the others have.
func (w *Watch) Lack(lacks bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lacks = lacks
}

// Lives tells whether another process is heard that is a node of that name, and since which decision. Before this
// watch has listened for long enough it cannot tell, and says yes: it may be any.
func (w *Watch) Lives(name string) (since uint64, lives bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.peers[name]
	switch {
	case w.duplicates.ran < Missed:
		return math.MaxUint64, true
	case p == nil || !p.tells || p.silent >= Missed:
		return 0, false
	}
	return p.last.Since, true
}

// Leads tells whether a node's engine may be told to lead, as far as it was heard.
func (w *Watch) Leads(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == w.node {
		return !w.rests && !w.lacks
	}
	p := w.peers[name]
	return p == nil || !p.last.Rests && !p.last.Lacks
}

// Rests tells whether the engine does.
func (w *Watch) Rests() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rests
}

// Duplicate tells whether another process is this node too, and this one has to go (I5).
func (w *Watch) Duplicate() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.duplicates.younger
}

// Due tells whether the engine is to rest now (I1). If it does already, that is so until the node is of use.
func (w *Watch) Due() (rest bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.rests && w.fresh > 0 {
		return false
	}
	heard := w.heard(Silent)
	if w.majority(len(heard) + 1) {
		return false
	}
	for _, name := range heard {
		p := w.peers[name]
		if !p.tells || w.majority(len(p.last.Hears)+1) {
			return false
		}
	}
	return true
}

func (w *Watch) majority(n int) bool { return n > (len(w.peers)+1)/2 }

// Hubs are the nodes that hear all that live, and are heard by all; nil if all are, or none is.
func (w *Watch) Hubs() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	living := append(w.heard(Missed), w.node)
	slices.Sort(living)
	for _, a := range living {
		if !slices.ContainsFunc(living, func(b string) bool { return !w.linked(a, b) || !w.linked(b, a) }) {
			names = append(names, a)
		}
	}
	if len(names) == len(living) {
		return nil
	}
	return names
}

// linked tells whether one living node hears another, as far as that is known.
func (w *Watch) linked(a, b string) bool {
	for _, name := range []string{a, b} {
		if p := w.peers[name]; p != nil && (p.age < Settled || !p.tells) {
			return true
		}
	}
	return a == b || a == w.node || slices.Contains(w.peers[a].last.Hears, b)
}
