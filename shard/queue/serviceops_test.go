package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/policy"
)

// The consumers of the service machine: of first groups, and of views. Its beanstalk clients
// are the machine's, so workers and consumers share the jobs.
var machineConsumers = []string{
	"g.a@default", "g.a@one", "g.b@one", "g.a@two", "g.b@two", "g.a@one;rear",
	"h.a@one", "h.b@one", "i.a@one", "h.a@two", "h.a@one;rear",
}

var serviceCommands = []command{
	{"put item", 12, (*machine).putItem},
	{"subscribe", 8, (*machine).subscribe},
	{"leave", 3, (*machine).leave},
	{"commit some", 12, (*machine).commitSome},
	{"refuse", 6, (*machine).refuse},
	{"find", 9, (*machine).find},
	{"find again", 9, (*machine).findAgain},
	{"end some", 2, (*machine).endSome},
	{"drop group", 1, (*machine).dropGroup},
}

// serve makes a machine one of the queue service, too.
func (x *machine) serve() {
	x.serves = true
	l := &x.w.limits
	l.MaxDelivery = choose(x, "deliveries", 0, 2, 3)
	l.MaxLength = choose(x, "length", 0, 5)
	l.AutoEvict = x.pick(2, "evict") == 0
	l.MaxIdle = choose(x, "idle", 0, 5*second)
	l.Leaving = choose(x, "leaving", second, 10*second)
	l.DeadLetter = choose(x, "fate", policy.FateRear, policy.FateRear, policy.FateDrop, policy.FateBury)
	x.m.Limits = naive.Limits{
		MaxDelivery: l.MaxDelivery, MaxLength: l.MaxLength, AutoEvict: l.AutoEvict, MaxIdle: l.MaxIdle,
		Leaving: l.Leaving,
		DeadLetter: map[policy.Fate]naive.Fate{policy.FateRear: naive.FateRear, policy.FateDrop: naive.FateDrop,
			policy.FateBury: naive.FateBury}[l.DeadLetter],
	}
	x.employ()
}

// employ makes the consumers in the model.
func (x *machine) employ() {
	for _, name := range machineConsumers {
		name, tube, _ := strings.Cut(name, "@")
		group, user, _ := strings.Cut(name, ".")
		x.m.User(tube, group, user)
	}
	x.m.Slot = func(i int) uint32 {
		c := x.m.Clients[i].Consumer
		if c == nil {
			return x.w.users[fmt.Sprint(i)].client.slot
		}
		return x.groupOf(c).users[c.User].client.slot
	}
	x.m.ViewSlot = func(tube string, v *naive.View) uint32 { return x.w.s.tubes[tube].service.viewNamed(v.Name).slot }
}

// groupOf finds the group of a consumer; nil if it is not there.
func (x *machine) groupOf(c *naive.Consumer) *group {
	t := x.w.s.tubes[c.Queue]
	if t == nil {
		return nil
	}
	return t.service.groupNamed(c.Group)
}

func who(c *naive.Consumer) string { return c.Group + "." + c.User + "@" + c.Queue }

// say runs one operation of the queue service on both and compares everything.
func (x *machine) say(i int, a Ask, op Op, body string) {
	x.forget()
	c := x.m.Clients[i].Consumer
	if a.Queue == "" {
		a.Queue = c.Queue
	}
	who := who(c)
	a.Group, a.User, a.Limits = c.Group, c.User, &x.w.limits
	if len(x.words) > 0 {
		a.Tags = tagsFrom(x.words)
	}
	switch a.What {
	case AskWatch:
		x.w.subs[who] = &subscriber{w: x.w, name: who}
		a.Receiver = x.w.subs[who]
	case AskLeave:
		a.Receiver = x.w.subs[who]
	}
	op.Kind, op.Ask = Service, &a
	want := op
	if a.What == AskPut {
		want.ID = x.w.dir.Last + 1
	}
	x.w.service(&op)
	x.modelAsk(i, &want, body)
	if op.Status != want.Status || op.Status == OK && op.ID != want.ID {
		x.w.t.Fatalf("%s: operation %d is answered %v %d, want %v %d", who, a.What, op.Status, op.ID, want.Status,
			want.ID)
	}
	if a.What == AskGet && op.Status == OK {
		if got, want := x.w.asked(&op), strings.Trim(fmt.Sprint(x.m.Found), "[]"); got != want {
			x.w.t.Fatalf("found are %s, want %s", got, want)
		}
	}
	x.words = nil
	x.tick()
}

func (x *machine) consumer() int { return machineClients + x.pick(len(machineConsumers), "consumer") }

func (x *machine) putItem() {
	if len(x.m.Jobs) > 30 {
		return
	}
	queue := choose(x, "queue", "default", "one", "two", "one;rear")
	x.at(700)
	body := fmt.Sprintf("item %d", x.w.dir.Last+1)
	x.w.bodies[x.w.dir.Last+1] = body
	delete(x.w.tags, x.w.dir.Last+1)
	a := Ask{What: AskPut, Queue: queue}
	if x.words = x.tags(2); x.words != nil {
		x.w.tags[x.w.dir.Last+1] = tagsFrom(x.words)
	}
	op := Op{Pri: choose[uint32](x, "pri", 0, 1023, 1024, 1024, 1024), Data: []byte(body), Size: uint32(len(body))}
	x.say(x.consumer(), a, op, body)
}

func (x *machine) subscribe() {
	i := x.consumer()
	a := Ask{What: AskWatch, Window: x.pick(4, "window"), AutoCommit: x.pick(8, "auto") == 0}
	if x.pick(3, "filtered") > 0 {
		x.words, a.Index = x.tags(4), x.index(2)
	}
	x.say(i, a, Op{}, "")
}

func (x *machine) leave() {
	x.at(800)
	x.say(x.consumer(), Ask{What: AskLeave}, Op{}, "")
}

func (x *machine) commitSome() {
	i := x.consumer()
	a := Ask{What: AskCommit}
	for range x.pick(4, "how many") {
		a.Indexes = append(a.Indexes, x.held(i))
	}
	x.say(i, a, Op{}, "")
}

func (x *machine) refuse() {
	i := x.consumer()
	a := Ask{What: AskNegative, Code: "No", Reason: "why"}
	if x.pick(5, "farewell") == 0 {
		a.Code = CodeShutdown
	}
	for range x.pick(3, "how many") {
		a.Indexes = append(a.Indexes, x.held(i))
	}
	x.say(i, a, Op{}, "")
}

// dropGroup removes a group. Of a first group no more than one consumer has items then: in
// which order those of several come back is not promised.
func (x *machine) dropGroup() {
	i := x.consumer()
	c := x.m.Clients[i].Consumer
	had := 0
	for k, o := range x.m.Clients {
		if o.Consumer != nil && o.Consumer.Queue == c.Queue && o.Consumer.Group == c.Group && len(x.m.Pending(k)) > 0 {
			had++
		}
	}
	if had < 2 || x.m.Services[c.Queue].First != c.Group {
		x.say(i, Ask{What: AskDropGroup}, Op{}, "")
	}
}

// The queue service and workers on the same tubes, against the model. Q1 to Q7, F1 to F4 and V1 to
// V4 hold after each step.
func TestServiceModel(t *testing.T) {
	all := append(weighted(1, commands), weighted(2, serviceCommands)...)
	seeds := uint64(150)
	if testing.Short() {
		seeds = 60
	}
	eachSeed(t, seeds, 600, func(t *testing.T, rnd *rand.Rand) func() {
		x := newServiceMachine(t, func(n int, _ string) int { return rnd.IntN(n) })
		return func() { all[rnd.IntN(len(all))](x) }
	})
}
