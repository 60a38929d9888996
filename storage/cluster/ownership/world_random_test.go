package ownership

import (
	"testing"
	"time"

	"beanfield/storage/effort"
)

// fault does some harm, for some time.
func (w *world) fault() {
	m := w.nodes[w.r.IntN(len(w.nodes))]
	if h := w.holder(); h != nil && w.r.IntN(2) == 0 {
		m = h
	}
	other := w.nodes[w.r.IntN(len(w.nodes))]
	long := w.upTo(8 * time.Second)
	switch w.r.IntN(9) {
	case 0:
		m.crash()
		w.after(long, nil, m.start)
	case 1: // with a new disk
		m.crash()
		m.disk, m.copies = Kept{}, [shards]int{}
		w.after(long, nil, m.start)
	case 2:
		m.paused = w.now + long
	case 3:
		w.cutFor(long, m, other)
	case 4:
		w.cutFor(long, m, other)
		w.cutFor(long, other, m)
	case 5:
		for _, to := range w.nodes {
			w.cutFor(long, m, to)
			if w.r.IntN(2) == 0 {
				w.cutFor(long, to, m)
			}
		}
	case 6:
		if m.s != nil && w.now >= m.paused {
			_ = m.s.Obey(m.clock(), Move, other.name, false)
		}
	case 7:
		if m.s != nil && w.now >= m.paused {
			_ = m.s.Obey(m.clock(), Drain, "", false)
			w.after(long, m, func() { _ = m.s.Obey(m.clock(), Drain, "", true) })
		}
	case 8:
		if m.s != nil && w.now >= m.paused {
			m.s.Close(m.clock())
			w.after(w.upTo(time.Second), nil, m.crash)
			w.after(time.Second+long, nil, m.start)
		}
	}
}

func (w *world) cutFor(long time.Duration, from, to *member) {
	w.cut[[2]*member{from, to}] = true
	w.after(long, nil, func() { delete(w.cut, [2]*member{from, to}) })
}

// course plays one random course: faults, several at once, and then peace. It says what was wrong.
func course(t *testing.T, seed uint64, set func(*world)) (w *world) {
	w = newWorld(t, seed, 3+2*int(seed%2))
	w.prefer = time.Duration(seed%3) * BeatEach
	w.replay = time.Duration(seed%4) * time.Second
	if set != nil {
		set(w)
	}
	w.begin()
	w.lossy = true
	for range 12 {
		w.fault()
		w.alter()
		w.run(w.upTo(4 * time.Second))
	}
	w.lossy = false
	if set == nil {
		w.calm()
	}
	return w
}

// calm has all be well again, and waits until somebody serves.
func (w *world) calm() {
	if w.run(8 * time.Second); w.wrong != "" {
		return
	}
	for _, m := range w.nodes {
		if m.start(); m.s.drained {
			_ = m.s.Obey(m.clock(), Drain, "", true)
		}
	}
	w.until(12*time.Second, "somebody serves when all is well again", func() bool { return w.holder() != nil })
}

// O2, O3, K7: whatever fails, at most one node serves; and when all is well again, one does.
func TestOneTermAtATime(t *testing.T) {
	seeds := effort.Courses(3000, 30)
	terms := 0
	for seed := range seeds {
		w := course(t, uint64(seed), nil)
		if w.wrong != "" {
			t.Fatalf("seed %d: %s", seed, w.wrong)
		}
		terms += w.terms
	}
	if terms < 3*seeds {
		t.Errorf("only %d terms have begun", terms)
	}
	t.Logf("%d terms have begun", terms)
}

// O1, O3, O4: each rule is needed.
func TestTermsNeedEachRule(t *testing.T) {
	for name, set := range map[string]func(*world){
		"O1: a term begins without a lease":        func(w *world) { w.without.lease = true },
		"O3: a server does not ask whether it may": func(w *world) { w.blind = true },
		"O4: a server goes on after it has ended":  func(w *world) { w.early = true },
	} {
		for seed := uint64(0); ; seed++ {
			if w := course(t, seed, set); w.wrong != "" {
				t.Logf("%s: seed %d: %s", name, seed, w.wrong)
				break
			}
			if seed == 300 {
				t.Errorf("%s: nothing was found", name)
				break
			}
		}
	}
}
