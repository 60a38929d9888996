package queue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"beanfield/shard/queue/naive"
)

// What the model says of truncate is true of purges, too, while their graves are being emptied, and over restarts: also
// with keys, with policies, and where dead letters go to a tube that is being purged (GR1, GR2).
func TestModelPurges(t *testing.T) {
	often := slices.Concat(weighted(1, commands), weighted(1, []command{
		{"restart", 2, (*machine).restart}, {"put", 12, (*machine).put},
	}), weighted(1, said((*machine).says, `
		4 truncate {tube}
		4 truncate {tube} {ready|delayed|buried} {ready|delayed|buried}`)))
	items := weighted(1, serviceCommands)
	for name, begin := range map[string]func(*testing.T, func(int, string) int) *machine{
		"plain":    func(t *testing.T, pick func(int, string) int) *machine { return newMachine(t, pick) },
		"policies": func(t *testing.T, pick func(int, string) int) *machine { return newMachine(t, pick).police() },
		"queues":   func(t *testing.T, pick func(int, string) int) *machine { return newServiceMachine(t, pick) },
	} {
		t.Run(name, func(t *testing.T) {
			graves := 0
			eachSeed(t, 4, min(*stepsFlag, 1500), func(t *testing.T, rnd *rand.Rand) func() {
				x := begin(t, func(n int, _ string) int { return rnd.IntN(n) })
				x.purges(1)
				return func() {
					was := x.w.s.yard.numbers
					if x.serves && rnd.IntN(2) == 0 {
						items[rnd.IntN(len(items))](x)
					} else {
						often[rnd.IntN(len(often))](x)
					}
					if x.w.s.yard.numbers > was {
						graves++
					}
				}
			})
			if graves < 20 {
				t.Errorf("there were %d purges", graves)
			}
			t.Log(graves)
		})
	}
}

// next is when something is due, apart from the jobs in graves, of which the model knows nothing.
func (x *machine) next() int64 {
	yard := x.w.s.yard
	x.w.s.yard = graveyard{}
	defer func() { x.w.s.yard = yard }()
	return x.w.s.Next()
}

// purges sets how many jobs a purge must end.
func (x *machine) purges(least int) { x.w.config.LeastPurge, x.w.s.LeastPurge = least, least }

// endTurns ends turns until nothing is due but what graves need, which may stay as they are.
func (x *machine) endTurns() {
	for more := true; more; {
		x.w.s.Tick(x.w.now)
		next := x.next()
		more = next != 0 && next <= x.w.now
	}
}

// truncated are the states whose jobs a truncate ends, for the model; none for all.
func (op *Op) truncated() (of []naive.State) {
	for state, st := range stateOf {
		if op.States != 0 && op.States.Has(st) {
			of = append(of, state)
		}
	}
	return of
}
