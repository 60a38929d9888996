package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/shard/queue/policy"
)

// chaos does anything to a few queues, with workers and several groups, in turns of any
// length. No model says what is right: the invariants hold after every step, and in the
// end all that is left can be worked off.
type chaos struct {
	w    *world
	pick picker
}

var chaosQueues = []string{"default", "two", "default;rear", "two;rear"}

var chaosLines = spoken(`
	60 {who} item {0|1023|1024|1024} {tags}
	36 {who} sub {0|1|2|5} {|||||auto} {|||||only} {|||||k=v} {|||||index=new} {|||||index={id}}
	12 {who} leave
	12 {who} sent
	45 {who} commit {ids}
	24 {who} negative {No|No|Shutdown} why {ids}
	6 {who} drop
	4 q delete {queue} {ids}
	4 q trunc {queue} {recent}
	4 q get {queue} wait={e|f} {len=1|take} {tags}
	4 q unget {queue} {e|f}
	4 q search {queue} {id}
	9 {x|y} put 1024 {0|0|1} 2
	9 {x|y} poll
	4 {x|y} reserve
	4 {x|y} release {id} 1024 {0|1}
	4 {x|y} bury {id} 1024
	4 {x|y} kick 2
	4 {x|y} delete {id}
	4 {x|y} reserve-job {id}
	4 {x|y} pause default {0|1}
	4 {x|y} detach
	27 +{0|700|1400|2100}ms
	3 restart`)

func (x *chaos) fill(line string) string {
	return x.pick.fill(line, func(name string) string {
		switch name {
		case "who":
			return x.fill("{g|g|h|i}.{a|b|c}@{queue}")
		case "queue":
			return x.fill("{" + strings.Join(chaosQueues, "|") + "}")
		case "tags":
			return x.fill("{k=v|k=w||} {requestId=r|requestId=s||||}")
		case "ids":
			return x.fill(strings.Repeat("{id} ", x.pick(5, name)))
		case "recent":
			return fmt.Sprint(max(1, int(x.w.dir.Last)-10))
		}
		return fmt.Sprint(1 + x.pick(int(x.w.dir.Last)+1, name)) // id
	})
}

// step does one thing.
func (x *chaos) step() {
	w := x.w
	w.given, w.wakes, w.called, w.pushed = nil, nil, nil, nil
	words := strings.Fields(x.fill(chaosLines[x.pick(len(chaosLines), "line")]))
	u := w.users[words[0]]
	switch {
	case u != nil && u.client.waits != nil: // it can say nothing
		if x.pick(2, "ends") == 0 {
			u.end()
			u.do("withdraw", nil)
		}
	case len(words) < 2 || words[1] != "sent" || w.subs[words[0]] != nil:
		w.say(words)
	}
	w.endTurn()
	w.tryAgain()
	w.must(w.check())
}

// workOff lets every group of every queue finish what is left.
func (x *chaos) workOff() {
	w := x.w
	w.limits.MaxDelivery = 0
	for _, u := range w.users {
		u.end()
	}
	for _, u := range w.users {
		u.do("detach", nil)
	}
	all := strings.Fields(w.everyID())
	for range 3 {
		w.given, w.wakes, w.called = nil, nil, nil
		w.advance(400 * second) // delays and pauses end, and who left has left
		for _, queue := range chaosQueues {
			if t := w.s.tubes[queue]; t != nil {
				for t.buried.N > 0 {
					w.s.renew()
					w.s.kickOne(t.buried.Head)
				}
			}
			for _, group := range []string{"g", "h", "i"} {
				who := group + ".z@" + queue
				w.ask(who, "sub", []string{"1000"})
				for n := 0; w.subs[who].unsent > 0; n++ {
					if n > 1000 {
						w.t.Fatalf("%s is sent items for ever", who)
					}
					w.ask(who, "sent", nil)
				}
				w.ask(who, "commit", all)
			}
		}
	}
	w.must(w.check())
	if n := w.s.index.N; n > 0 {
		w.t.Fatalf("%d jobs cannot be worked off", n)
	}
}

func (w *world) everyID() (all string) {
	for id := range w.dir.Last {
		all += fmt.Sprint(id+1, " ")
	}
	return all
}

func TestServiceChaos(t *testing.T) { runChaos(t, 40, func(*chaos) {}) }

// The same with policies for the queues, which change.
func TestPolicyChaos(t *testing.T) { runChaos(t, 100, (*chaos).rule) }

// rule brings other policies now and then.
func (x *chaos) rule() {
	if x.pick(40, "rule") > 0 {
		return
	}
	all := map[string]*policy.Policy{}
	for _, queue := range chaosQueues {
		line := x.fill("jobs={||||1|6} bytes={|||60} full={|oldest|least} deliveries={||1|3} count={|timeouts|releases} " +
			"dead={bury|delete} retry={|1s..5s|2s..5s} expire={||||1s|5s} reserved={||1|3} rate={||1|3} burst={||1|2}")
		if x.pick(3, "none") > 0 {
			all[queue] = policyOf(strings.Fields(line))
		}
	}
	x.w.setPolicies(all)
}

func runChaos(t *testing.T, seeds uint64, also func(*chaos)) {
	const steps = 400
	eachSeed(t, seeds, steps, func(t *testing.T, rnd *rand.Rand) func() {
		x := &chaos{pick: func(n int, _ string) int { return rnd.IntN(n) }}
		x.w = newManyWorld(t, 0, []int{0, 0, 1, 20, 50}[x.pick(5, "share")])
		x.w.setLimits(strings.Fields(x.fill("{delivery=3|delivery=2 dead=drop|delivery=2 dead=bury|delivery=0} leaving={0|2}s " +
			"idle={0|1}s {length=0|length=12|length=12 evict=1} unsent={0|60}")))
		n := 0
		return func() {
			also(x)
			x.step()
			if n++; n == steps {
				x.w.setPolicies(map[string]*policy.Policy{})
				x.workOff()
			}
		}
	})
}
