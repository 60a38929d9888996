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
	w   *world
	rnd *rand.Rand
}

var chaosQueues = []string{"default", "two", "default;rear", "two;rear"}

func (x *chaos) one(from ...string) string { return from[x.rnd.IntN(len(from))] }

func (x *chaos) id() string { return fmt.Sprint(1 + x.rnd.IntN(int(x.w.lastID)+1)) }

func (x *chaos) ids() (list []string) {
	for range x.rnd.IntN(5) {
		list = append(list, x.id())
	}
	return list
}

func (x *chaos) who() string {
	return x.one("g", "g", "h", "i") + "." + x.one("a", "b", "c") + "@" + x.one(chaosQueues...)
}

// step does one thing.
func (x *chaos) step() {
	w := x.w
	w.given, w.wakes, w.called, w.pushed = nil, nil, nil, nil
	who := x.who()
	switch n := x.rnd.IntN(100); {
	case n < 20:
		w.consumer(who, "item", append([]string{x.one("0", "1023", "1024", "1024")}, x.tags()...))
	case n < 32:
		w.consumer(who, "sub", x.watch())
	case n < 36:
		w.consumer(who, "leave", nil)
	case n < 40:
		if w.subs[who] != nil {
			w.consumer(who, "sent", nil)
		}
	case n < 55:
		w.consumer(who, "commit", x.ids())
	case n < 63:
		w.consumer(who, "negative", append([]string{x.one("No", "No", "Shutdown"), "why"}, x.ids()...))
	case n < 65:
		w.consumer(who, "drop", nil)
	case n < 72:
		x.endings()
	case n < 90:
		x.worker()
	case n < 99:
		w.advance(int64(x.rnd.IntN(4)) * 700e6)
	default:
		w.tryAgain()
		w.replay()
	}
	for n := 0; w.s.Tick(w.now); n++ {
		if n > 1000 {
			w.t.Fatal("the turns do not end")
		}
	}
	w.take()
	w.tryAgain()
	if err := w.check(); err != nil {
		w.t.Fatal(err)
	}
}

func (x *chaos) tags() (tags []string) {
	if x.rnd.IntN(2) == 0 {
		tags = append(tags, "k="+x.one("v", "w"))
	}
	if x.rnd.IntN(3) == 0 {
		tags = append(tags, "requestId="+x.one("r", "s"))
	}
	return tags
}

func (x *chaos) watch() []string {
	words := []string{x.one("0", "1", "2", "5")}
	for _, word := range []string{"auto", "only", "k=v", "index=new", "index=" + x.id()} {
		if x.rnd.IntN(6) == 0 {
			words = append(words, word)
		}
	}
	return words
}

// endings deletes, takes and truncates.
func (x *chaos) endings() {
	queue := x.one(chaosQueues...)
	switch x.rnd.IntN(5) {
	case 0:
		x.w.ask(append([]string{"delete", queue}, x.ids()...))
	case 1:
		x.w.ask([]string{"trunc", queue, fmt.Sprint(max(1, int(x.w.lastID)-10))})
	case 2:
		x.w.ask(append([]string{"get", queue, "wait=" + x.one("e", "f"), x.one("len=1", "take")}, x.tags()...))
	case 3:
		x.w.ask([]string{"unget", queue, x.one("e", "f")})
	default:
		x.w.ask([]string{"search", queue, x.id()})
	}
}

// worker is a beanstalk client's part.
func (x *chaos) worker() {
	u := x.w.user(x.one("x", "y"))
	if u.client.waits != nil {
		if x.rnd.IntN(2) == 0 {
			u.end()
			u.do("withdraw", nil)
		}
		return
	}
	id := x.id()
	switch x.rnd.IntN(12) {
	case 0, 1:
		u.do("put", []string{"1024", x.one("0", "0", "1"), "2"})
	case 2, 3:
		u.do("poll", nil)
	case 4:
		u.do("reserve", nil)
	case 5:
		u.do("release", []string{id, "1024", x.one("0", "1")})
	case 6:
		u.do("bury", []string{id, "1024"})
	case 7:
		u.do("kick", []string{"2"})
	case 8:
		u.do("delete", []string{id})
	case 9:
		u.do("reserve-job", []string{id})
	case 10:
		u.do("pause", []string{"default", x.one("0", "1")})
	default:
		u.do("detach", nil)
	}
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
	var all []string
	for id := range w.lastID {
		all = append(all, fmt.Sprint(id+1))
	}
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
				w.consumer(who, "sub", []string{"1000"})
				for n := 0; w.subs[who].unsent > 0; n++ {
					if n > 1000 {
						w.t.Fatalf("%s is sent items for ever", who)
					}
					w.consumer(who, "sent", nil)
				}
				w.consumer(who, "commit", all)
			}
		}
	}
	if err := w.check(); err != nil {
		w.t.Fatal(err)
	}
	if n := w.s.index.N; n > 0 {
		w.t.Fatalf("%d jobs cannot be worked off", n)
	}
}

func TestServiceChaos(t *testing.T) { runChaos(t, 40, func(*chaos) {}) }

// The same with policies for the queues, which change.
func TestPolicyChaos(t *testing.T) { runChaos(t, 100, (*chaos).rule) }

// rule brings other policies now and then.
func (x *chaos) rule() {
	if x.rnd.IntN(40) > 0 {
		return
	}
	all := map[string]*policy.Policy{}
	for _, queue := range chaosQueues {
		any := func(most int) int { return max(0, x.rnd.IntN(2*most+1)-most) } // often none
		if x.rnd.IntN(3) > 0 {
			all[queue] = &policy.Policy{
				Most: policy.Amount{int64(any(6)), int64(any(60))}, Full: policy.Full(x.rnd.IntN(3)),
				MaxDeliveries: any(3), Count: policy.Counted(x.rnd.IntN(3)),
				DeadLetter: []policy.Fate{policy.FateBury, policy.FateDrop}[x.rnd.IntN(2)],
				Retry:      policy.Retry{First: int64(any(2)) * second, Most: 5 * second},
				Expire:     int64(any(5)) * second, MaxReserved: any(3), Rate: any(3), Burst: any(2),
			}
		}
	}
	x.w.setPolicies(all)
}

func runChaos(t *testing.T, seeds uint64, also func(*chaos)) {
	const steps = 400
	eachSeed(t, seeds, steps, func(t *testing.T, rnd *rand.Rand) func() {
		x := &chaos{rnd: rnd}
		x.w = newManyWorld(t, 0, []int{0, 0, 1, 20, 50}[x.rnd.IntN(5)])
		x.w.setLimits(strings.Fields(x.one("delivery=3", "delivery=2 dead=drop", "delivery=2 dead=bury", "delivery=0") +
			" " +
			x.one("leaving=0s", "leaving=2s") + " " + x.one("idle=0s", "idle=1s") + " " +
			x.one("length=0", "length=12", "length=12 evict=1") + " " + x.one("unsent=0", "unsent=60")))
		n := 0
		return func() {
			also(x)
			x.step()
			if n++; n == steps {
				x.w.setPolicies(nil)
				x.workOff()
			}
		}
	})
}
