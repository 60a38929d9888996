package queue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/queuetest"

	"pgregory.net/rapid"
)

func (w *world) policyFor(tube string) *Policy { return w.policies[tube] }

// setPolicies brings other policies, as a reload does.
func (w *world) setPolicies(all map[string]*Policy) {
	w.policies = all
	w.s.SetPolicies(w.policyFor)
}

// policyWords are the words of a script for what a policy may say.
var policyWords = map[string]func(*Policy, string){
	"jobs":       func(p *Policy, v string) { p.MaxJobs = int(number(v)) },
	"bytes":      func(p *Policy, v string) { p.MaxBytes = int64(number(v)) },
	"memory":     func(p *Policy, v string) { p.MaxMemory = int64(number(v)) },
	"full":       func(p *Policy, v string) { p.Full = map[string]Full{"oldest": FullOldest, "least": FullLeast}[v] },
	"deliveries": func(p *Policy, v string) { p.MaxDeliveries = int(number(v)) },
	"count": func(p *Policy, v string) {
		p.Count = map[string]Counted{"timeouts": CountTimeouts, "releases": CountReleases}[v]
	},
	"dead":     func(p *Policy, v string) { p.DeadLetter = map[string]Fate{"bury": FateBury, "delete": FateDrop}[v] },
	"to":       func(p *Policy, v string) { p.DeadLetter, p.DeadTube = FateTube, v },
	"expired":  func(p *Policy, v string) { p.Expired = map[string]Expiry{"dead": ExpiryDie}[v] },
	"from":     func(p *Policy, v string) { p.ExpireReady = v == "ready" },
	"expire":   func(p *Policy, v string) { p.Expire = duration(v) },
	"reserved": func(p *Policy, v string) { p.MaxReserved = int(number(v)) },
	"rate":     func(p *Policy, v string) { p.Rate = int(number(v)) },
	"burst":    func(p *Policy, v string) { p.Burst = int(number(v)) },
	"weight":   func(p *Policy, v string) { p.Weight = int(number(v)) },
	"aging":    func(p *Policy, v string) { p.Aging = duration(v) },
	"retry": func(p *Policy, v string) {
		first, most, _ := strings.Cut(v, "..")
		if p.Retry.First = duration(first); most != "" {
			p.Retry.Most = duration(most)
		}
	},
}

// policy runs the word of a script that covers one tube by a policy, or, without words, by none.
func (w *world) policy(tube string, words []string) {
	all := map[string]*Policy{tube: {DeadLetter: FateBury}}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		policyWords[key](all[tube], value)
	}
	if len(words) == 0 {
		delete(all, tube)
	}
	for name, p := range w.policies {
		if name != tube {
			all[name] = p
		}
	}
	w.setPolicies(all)
	for w.s.revising() {
		w.s.Tick(w.now)
	}
}

// newPolicyMachine makes one whose tubes are covered by policies.
func newPolicyMachine(f queuetest.Failer, pick func(int, string) int) *machine {
	return newMachine(f, pick).police()
}

// newRateMachine makes one whose tubes are throttled, too. Its turns are long: what opens in a
// turn is served at its end, and the model does not know where others end.
func newRateMachine(f queuetest.Failer, pick func(int, string) int) *machine {
	x := newSharedMachine(f, pick, 0)
	x.rateLimits = true
	return x.police()
}

// newFairMachine makes one whose clients watch all tubes at first, which have weights.
func newFairMachine(f queuetest.Failer, pick func(int, string) int) *machine {
	x := newSharedMachine(f, pick, 0) // as for rate limits
	x.fairs = true
	x.police()
	for i := range machineClients {
		u := x.w.users[fmt.Sprint(i)]
		x.do(i, u, Op{Kind: Use, Data: []byte(machineTubes[i%len(machineTubes)])}, "")
		for _, name := range machineTubes {
			x.do(i, u, Op{Kind: Watch, Data: []byte(name)}, "")
		}
	}
	return x
}

func (x *machine) police() *machine {
	x.m.Spread, x.m.Policies = spread, map[string]*naive.Policy{}
	x.m.Slot = func(i int) uint32 { return x.w.users[fmt.Sprint(i)].client.slot }
	for range machineTubes {
		x.rule()
	}
	return x
}

// rule gives a tube another policy.
func (x *machine) rule() {
	n := x.pick(len(machineTubes), "tube")
	p := &Policy{
		MaxJobs: choose(x, "jobs", 0, 0, 1, 4, 7), MaxBytes: choose[int64](x, "bytes", 0, 0, 11, 3000, 10000),
		MaxMemory:     choose[int64](x, "memory", 0, 0, 250, 3500),
		Full:          choose(x, "full", FullRefuse, FullOldest, FullLeast),
		MaxDeliveries: choose(x, "deliveries", 0, 1, 2, 4), Count: choose(x, "count", CountReserves, CountTimeouts, CountReleases),
		DeadLetter: choose(x, "fate", FateBury, FateDrop),
	}
	if x.pick(2, "retry") == 0 { // different ones for different tubes, so that no two delays end together
		p.Retry.First = second + 10*int64(n)
		p.Retry.Most = choose(x, "most", 0, 3*second+11*int64(n))
	}
	p.Expire = choose(x, "expire", 0, 0, 2*second, 9*second)
	p.ExpireReady = p.Expire > 0 && x.pick(2, "from") == 0
	p.Weight = choose(x, "weight", 0, 1, 2, 3, 5)
	if x.fairs {
		p = &Policy{Weight: p.Weight, Aging: p.Aging, MaxReserved: choose(x, "reserved", 0, 0, 0, 0, 2)}
		p.Aging = choose(x, "aging", 0, 0, 500*millisecond, second, 3*second)
	}
	if x.rateLimits {
		p.MaxReserved, p.Rate = choose(x, "reserved", 0, 1, 2, 3), choose(x, "rate", 0, 3, 7)
		if p.Rate > 0 {
			p.Burst = choose(x, "burst", 0, 1, 2)
		}
	}
	if x.pick(8, "none") == 0 {
		p = nil
	}
	all := maps.Clone(x.w.policies)
	if all == nil {
		all = map[string]*Policy{}
	}
	all[machineTubes[n]] = p
	x.forget()
	x.tick() // what is due by the old one
	x.m.Rule(machineTubes[n], modelled(p))
	x.w.setPolicies(all)
	x.tick()
}

// modelled is a policy in the words of the model.
func modelled(p *Policy) *naive.Policy {
	if p == nil {
		return nil
	}
	return &naive.Policy{
		Bounds:        naive.Bounds{MaxJobs: p.MaxJobs, MaxBytes: int(p.MaxBytes), MaxMemory: int(p.MaxMemory)},
		Drop:          map[Full]func(a, b *naive.Job) int{FullOldest: naive.ByAge, FullLeast: naive.ByLeast}[p.Full],
		MaxDeliveries: p.MaxDeliveries,
		Delivered: func(j *naive.Job) uint32 {
			return map[Counted]uint32{
				CountReserves: j.Reserves - j.Before.Reserves, CountTimeouts: j.Timeouts - j.Before.Timeouts,
				CountReleases: j.Releases - j.Before.Releases,
			}[p.Count]
		},
		Fate:  map[Fate]naive.Fate{FateBury: naive.FateBury, FateDrop: naive.FateDrop}[p.DeadLetter],
		Retry: p.Retry.First, RetryMost: p.Retry.Most, Expire: p.Expire, ExpireReady: p.ExpireReady,
		MaxReserved: p.MaxReserved, Rate: p.Rate, Burst: int(p.burst()), Weight: p.Weight, Aging: p.Aging,
	}
}

var policyCommands = append([]command{{"rule", 3, (*machine).rule}, {"limit", 1, (*machine).limit}}, commands...)

// The state follows its policies as the model does, also when they change (M1, M2).
func TestPolicies(t *testing.T) { checkMachine(t, newPolicyMachine) }

// Clients get jobs by the weights of their tubes (WT1).
func TestFairScheduler(t *testing.T) { checkMachine(t, newFairMachine) }

// Tubes that are throttled hand out what they may, and at once, to who has waited longest (M4).
func TestRateLimits(t *testing.T) { checkMachine(t, newRateMachine) }

func checkMachine(t *testing.T, make func(queuetest.Failer, func(int, string) int) *machine) {
	rapid.Check(t, func(rt *rapid.T) {
		x := make(rt, func(n int, label string) int { return rapid.IntRange(0, n-1).Draw(rt, label) })
		actions := map[string]func(*rapid.T){}
		for _, c := range policyCommands {
			for i := range c.weight {
				actions[fmt.Sprint(c.name, " ", i)] = func(*rapid.T) { c.run(x) }
			}
		}
		rt.Repeat(actions)
	})
}

// The same over long runs.
func TestPoliciesLong(t *testing.T)      { runLong(t, newPolicyMachine) }
func TestRateLimitsLong(t *testing.T)    { runLong(t, newRateMachine) }
func TestFairSchedulerLong(t *testing.T) { runLong(t, newFairMachine) }

func runLong(t *testing.T, make func(queuetest.Failer, func(int, string) int) *machine) {
	if testing.Short() {
		t.Skip("long")
	}
	all := weighted(1, policyCommands)
	eachSeed(t, 6, *stepsFlag, func(t *testing.T, rnd *rand.Rand) func() {
		x := make(t, func(n int, _ string) int { return rnd.IntN(n) })
		return func() { all[rnd.IntN(len(all))](x) }
	})
}
