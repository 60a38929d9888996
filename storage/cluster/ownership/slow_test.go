package ownership

import (
	"testing"
	"time"

	"beanfield/storage/effort"
)

// slowly kills nodes in a world where everything takes ten times as long, and looks how long nobody serves, beyond the
// time that it takes to read lanes, and how many candidacies there are.
func slowly(t *testing.T, seed uint64, set func(*world)) (idle time.Duration, stood int) {
	w := newWorld(t, seed, 3+2*int(seed%2))
	w.slow, w.log = 10, int(seed/2%3)*50 // reads of 0.1 s
	if set != nil {
		set(w)
	}
	w.begin()
	stood = w.stood
	if h := w.holder(); seed/6%2 == 0 && h != nil {
		h.crash()
	} else {
		for _, m := range w.nodes {
			m.crash()
			w.after(w.upTo(300*time.Millisecond), nil, m.start)
		}
		w.run(300*time.Millisecond + time.Duration(w.log)*100*time.Millisecond)
	}
	idle = w.until(5*time.Minute, "somebody serves", func() bool { return w.holder() != nil })
	if w.run(10 * time.Second); w.wrong != "" || w.holder() == nil {
		w.describe()
		t.Fatalf("seed %d: nobody serves in the end, or %s", seed, w.wrong)
	}
	return idle, w.stood - stood
}

// O7: when everything takes ten times as long, somebody serves again within the bound, after five candidacies at most.
func TestSlowWorld(t *testing.T) {
	longest, most := time.Duration(0), 0
	for seed := range effort.Courses(600, 48) {
		idle, stood := slowly(t, uint64(seed), nil)
		longest, most = max(longest, idle), max(most, stood)
	}
	t.Logf("at most nobody served for %v, and there were %d candidacies", longest, most)
	if longest > 10*time.Second || most > 5 {
		t.Error("that is too much")
	}
}

// O7: it needs the patience.
func TestImpatience(t *testing.T) {
	for seed := range uint64(100) {
		if _, stood := slowly(t, seed, func(w *world) { w.without.patience = true }); stood > 5 {
			t.Logf("seed %d: %d candidacies", seed, stood)
			return
		}
	}
	t.Error("nothing was found")
}
