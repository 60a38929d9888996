package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"beanfield/shard/queue/queuetest"

	"beanfield/shard/queue/policy"
)

func (w *world) policyFor(tube string) *policy.Policy { return w.policies[tube] }

// setPolicies brings other policies, as a reload does.
func (w *world) setPolicies(all map[string]*policy.Policy) {
	w.policies = all
	w.s.SetPolicies(w.policyFor)
}

// policy runs the word of a script that covers one tube by a policy, or, without words, by none.
func (w *world) policy(tube string, words []string) {
	all := map[string]*policy.Policy{}
	for name, p := range w.policies {
		all[name] = p
	}
	if all[tube] = policyOf(words); len(words) == 0 {
		delete(all, tube)
	}
	w.setPolicies(all)
	for w.s.revising() {
		w.s.Tick(w.now)
	}
}

// policyOf is a policy in the words of a script. What is empty is not said.
func policyOf(words []string) *policy.Policy {
	p := &policy.Policy{DeadLetter: policy.FateBury}
	amounts := map[string]*int64{
		"jobs": &p.Most[policy.BoundJobs], "bytes": &p.Most[policy.BoundBytes], "memory": &p.Most[policy.BoundMemory],
	}
	counts := map[string]*int{
		"deliveries": &p.MaxDeliveries, "reserved": &p.MaxReserved, "rate": &p.Rate, "burst": &p.Burst, "weight": &p.Weight,
	}
	times := map[string]*int64{"expire": &p.Expire, "aging": &p.Aging}
	for _, word := range words {
		key, v, _ := strings.Cut(word, "=")
		switch {
		case v == "":
		case amounts[key] != nil:
			*amounts[key] = int64(number(v))
		case counts[key] != nil:
			*counts[key] = int(number(v))
		case times[key] != nil:
			*times[key] = duration(v)
		default:
			policyWord(p, key, v)
		}
	}
	return p
}

func policyWord(p *policy.Policy, key, v string) {
	switch key {
	case "full":
		p.Full = policy.Full(slices.Index([]string{"refuse", "oldest", "least"}, v))
	case "count":
		p.Count = policy.Counted(slices.Index([]string{"reserves", "timeouts", "releases"}, v))
	case "dead":
		p.DeadLetter = map[string]policy.Fate{"bury": policy.FateBury, "delete": policy.FateDrop, "rear": policy.FateRear}[v]
	case "to":
		p.DeadLetter, p.DeadTube = policy.FateTube, v
	case "expired":
		p.Expired = policy.ExpiryDie
	case "from":
		p.ExpireReady = v == "ready"
	case "retry":
		first, most, _ := strings.Cut(v, "..")
		if p.Retry.First = duration(first); most != "" {
			p.Retry.Most = duration(most)
		}
	default:
		panic("no such word of a policy: " + key)
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
	x.m.Spread, x.m.Policies = policy.Spread, map[string]*policy.Policy{}
	for range machineTubes {
		x.rule()
	}
	return x
}

// rule gives a tube another policy.
func (x *machine) rule() {
	n := x.pick(len(machineTubes), "tube")
	words := "jobs={|||1|4|7} bytes={|||11|3000|10000} memory={||250|3500} full={refuse|oldest|least} deliveries={|1|2|4} " +
		"count={reserves|timeouts|releases} dead={bury|delete} {|expire={2|9}s {|from=ready}} weight={|1|2|3|5} " +
		// different ones for different tubes, so that no two delays end together
		fmt.Sprintf("retry={||%[1]dns|%[1]dns..%[2]dns}", second+10*int64(n), 3*second+11*int64(n))
	if x.fairs {
		words = "weight={|1|2|3|5} reserved={||||2} aging={||500ms|1s|3s}"
	}
	if x.rateLimits {
		words += " reserved={|1|2|3} {|rate=3 burst={|1|2}|rate=7 burst={|1|2}}"
	}
	p := policyOf(strings.Fields(x.fill(0, words)))
	if x.pick(8, "none") == 0 {
		p = nil
	}
	all := maps.Clone(x.w.policies)
	if all == nil {
		all = map[string]*policy.Policy{}
	}
	all[machineTubes[n]] = p
	x.forget()
	x.tick() // what is due by the old one
	x.m.Rule(machineTubes[n], p)
	x.w.setPolicies(all)
	x.tick()
}

var policyCommands = append([]command{{"rule", 3, (*machine).rule}, {"limit", 1, (*machine).limit}}, commands...)

// The state follows its policies as the model does, also when they change (M1, M2).
func TestPolicies(t *testing.T) { checkMachine(t, newPolicyMachine, policyCommands) }

// Clients get jobs by the weights of their tubes (WT1).
func TestFairScheduler(t *testing.T) { checkMachine(t, newFairMachine, policyCommands) }

// Tubes that are throttled hand out what they may, and at once, to who has waited longest (M4).
func TestRateLimits(t *testing.T) { checkMachine(t, newRateMachine, policyCommands) }

// The same over long runs.
func TestPoliciesLong(t *testing.T)      { runLong(t, newPolicyMachine, policyCommands) }
func TestRateLimitsLong(t *testing.T)    { runLong(t, newRateMachine, policyCommands) }
func TestFairSchedulerLong(t *testing.T) { runLong(t, newFairMachine, policyCommands) }
