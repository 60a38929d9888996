package queue

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var (
	seedFlag  = flag.Uint64("queue.seed", 0, "run TestModelLong with this seed only")
	stepsFlag = flag.Int("queue.steps", 3000, "steps of TestModelLong for each seed")
)

// The state answers like the model, whatever is asked. When it does not, rapid shrinks the run
// and prints the seed and the file that repeat it. S1 and S3 to S7 hold after each step
// (audit).
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := newMachine(rt, func(n int, label string) int { return rapid.IntRange(0, n-1).Draw(rt, label) })
		actions := map[string]func(*rapid.T){}
		for _, c := range commands {
			for i := range c.weight {
				actions[fmt.Sprint(c.name, " ", i)] = func(*rapid.T) { c.run(x) }
			}
		}
		rt.Repeat(actions)
	})
}

// The same over long runs, which reach states that short ones do not.
func TestModelLong(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	var all []func(*machine)
	for _, c := range commands {
		for range c.weight {
			all = append(all, c.run)
		}
	}
	first, last := uint64(1), uint64(6)
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, seed))
			step := 0
			defer func() {
				if t.Failed() {
					t.Logf("step %d; repeat with -run TestModelLong -queue.seed %d -queue.steps %d", step, seed, *stepsFlag)
				}
			}()
			x := newMachine(t, func(n int, _ string) int { return rnd.IntN(n) })
			for ; step < *stepsFlag; step++ {
				all[rnd.IntN(len(all))](x)
			}
		})
	}
}
