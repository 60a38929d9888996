package ownership

import (
	"testing"
	"time"

	"beanfield/storage/effort"
)

// single are faults, each alone, with how long nobody may serve, and whether the owner must stay. The
// bounds are Silence, a Step, a beat before that, and the time of a candidacy in this world; and postpone, for each
// candidate that comes to nothing.
var single = map[string]struct {
	script, most string
	stays        bool
}{
	"the owner is killed":                {"crash owner", "idle 1900ms", false},
	"and the next cannot use its engine": {"helpless next; crash owner", "idle 2500ms", false}, // it comes to nothing
	"and the next has a slow engine":     {"slow next 3s; crash owner", "idle 2500ms", false},  // it hears of another one
	"the owner is paused":                {"pause owner 30s", "idle 1900ms", false},
	"the owner is cut off":               {"isolate owner 1m", "idle 1900ms", false},
	"nobody hears the owner":             {"mute owner 1m", "idle 1900ms", false},
	"the owner hears nobody":             {"deaf owner 1m", "idle 300ms", false},
	"the owner is killed, and back":      {"crash owner; run 300ms; start owner", "idle 1900ms", false},
	"the owner is stopped":               {"close owner", "idle 300ms", false},
	"the owner is drained":               {"drain owner", "idle 300ms", false},
	"the shards are moved":               {"move owner y", "idle 300ms", false},
	"a follower is killed":               {"crash x", "idle 30ms", true},
	"a follower is paused":               {"pause y 3s", "idle 30ms", true},
	"a follower is cut off":              {"isolate x 1m", "idle 30ms", true},
	"a follower is drained":              {"drain x", "idle 30ms", true},
	"two followers part":                 {"part x y 1m", "idle 30ms", true},
	"owner and follower part":            {"part owner x 1m", "idle 30ms", true},
	"a follower is not heard":            {"cut x owner 1m", "idle 30ms", true},
	"a follower hears no beat":           {"cut owner y 1m", "idle 30ms", true},
	"messages are lost":                  {"lossy", "idle 30ms", true},
}

// O7, O8: after any single fault somebody serves again within a bound; and if the owner is still
// answered by a majority, it goes on.
func TestSingleFaults(t *testing.T) {
	for name, f := range single {
		t.Run(name, func(t *testing.T) {
			for seed := range effort.Courses(100, 3) {
				w := newWorld(t, uint64(seed), 3).begin()
				owner, terms := w.holder(), w.terms
				w.quiet()
				w.play(f.script + "; run 10s; " + f.most)
				if w.terms-terms > 1 || f.stays && w.holder() != owner {
					w.describe()
					t.Fatalf("seed %d: %d terms have begun", seed, w.terms-terms)
				}
			}
		})
	}
}

// O8: a node that is cut off from the owner alone disturbs it, if it does not ask the others.
func TestWithoutAskingOthers(t *testing.T) {
	w := newWorld(t, 1, 3)
	w.without.quiet = true
	terms := w.begin().terms
	if w.play("part owner x 1m; run 10s"); w.terms == terms {
		t.Error("it does not")
	}
}

// O7: an owner that hears nobody any more before its server has answered anybody does not keep others from standing.
func TestDeafBeforeServing(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed, 3).begin()
		former := w.holder()
		w.replay = time.Hour
		former.crash()
		var deaf *member
		w.until(5*time.Second, "a term begins", func() bool {
			for _, m := range w.nodes {
				if m.s != nil && m.s.Role() == Owner {
					deaf = m
				}
			}
			return deaf != nil
		})
		w.play("start " + former.name + "; run 2s")
		w.replay = 0
		w.play("deaf " + deaf.name + " 1m")
		w.until(1900*time.Millisecond, "another one serves", func() bool { return w.holder() != nil })
	}
}

// O7: an owner does not hand over to a node that has been started and would have to read its lanes first.
func TestHandOverToReader(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed, 3).begin()
		owner := w.holder()
		x := w.nodes[(owner.i+1)%3]
		w.play("drain y; crash x; run 2s") // the owner knows
		w.log = 200                        // about two seconds
		x.start()
		w.quiet()
		w.until(10*time.Second, "the owner is drained", func() bool {
			return owner.s.Obey(owner.clock(), Drain, "", false) == nil
		})
		w.play("run 5s; serves " + x.name + " 0s; idle 300ms")
	}
}

// O9: an owner whose disk is nearly full hands over to a node that has room, if there is one; when it has room
// again it counts as before, but not at once. If the owner is lost, a node that has room takes its place.
func TestFullDisks(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t, seed, 3).begin()
		w.quiet()
		w.play(`low owner; low x; run 1s; serves y 0s; keeps y 2m; idle 300ms; refuses y owner; roomy x; keeps y 2m
			crash y; run 1900ms; serves x 0s; start y; low x; run 4s; serves y 0s; low y; keeps y 1m
			roomy owner; keeps y 59s; run 3s; serves owner 0s`)
	}
}
