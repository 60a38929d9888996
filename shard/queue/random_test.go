package queue

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue/queuetest"

	"pgregory.net/rapid"
)

var (
	seedFlag  = flag.Uint64("queue.seed", 0, "run random tests with this seed only")
	stepsFlag = flag.Int("queue.steps", 3000, "steps of TestModelLong for each seed")
)

// The state answers like the model, whatever is asked. When it does not, rapid shrinks the run
// and prints the seed and the file that repeat it. S1 and S3 to S7 hold after each step
// (audit).
func TestModel(t *testing.T) { checkMachine(t, newMachine, commands) }

// The same over long runs, which reach states that short ones do not.
func TestModelLong(t *testing.T) { runLong(t, newMachine, commands) }

func checkMachine(t *testing.T, begin func(queuetest.Failer, func(int, string) int) *machine, list []command) {
	rapid.Check(t, func(rt *rapid.T) {
		x := begin(rt, func(n int, label string) int { return rapid.IntRange(0, n-1).Draw(rt, label) })
		actions := map[string]func(*rapid.T){}
		for _, c := range list {
			for i := range c.weight {
				actions[fmt.Sprint(c.name, " ", i)] = func(*rapid.T) { c.run(x) }
			}
		}
		rt.Repeat(actions)
	})
}

func runLong(t *testing.T, begin func(queuetest.Failer, func(int, string) int) *machine, list []command) {
	if testing.Short() {
		t.Skip("long")
	}
	all := weighted(1, list)
	eachSeed(t, 6, *stepsFlag, func(t *testing.T, rnd *rand.Rand) func() {
		x := begin(t, func(n int, _ string) int { return rnd.IntN(n) })
		return func() { all[rnd.IntN(len(all))](x) }
	})
}

// weighted lists each command as often as its weight, so many times.
func weighted(times int, list []command) (all []func(*machine)) {
	for _, c := range list {
		for range times * c.weight {
			all = append(all, c.run)
		}
	}
	return all
}

// eachSeed takes random steps for each seed up to the last, or for the one that a flag names.
func eachSeed(t *testing.T, last uint64, steps int, begin func(*testing.T, *rand.Rand) (step func())) {
	name, first := t.Name(), uint64(1)
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			n := 0
			defer func() {
				if t.Failed() {
					t.Logf("step %d of %d; repeat with -run %s -queue.seed %d", n, steps, name, seed)
				}
			}()
			for step := begin(t, rand.New(rand.NewPCG(seed, seed))); n < steps; n++ {
				step()
			}
		})
	}
}
