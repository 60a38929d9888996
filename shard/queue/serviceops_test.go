package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The queues of the service machine, each with its consumers. Their beanstalk clients
// are the machine's, so workers and consumers share the jobs.
var machineConsumers = []mConsumer{
	{queue: "default", user: "a"}, {queue: "one", user: "a"}, {queue: "one", user: "b"},
	{queue: "two", user: "a"}, {queue: "two", user: "b"}, {queue: "one;rear", user: "a"},
}

var serviceCommands = []struct {
	weight int
	run    func(*machine)
}{
	{12, (*machine).putItem},
	{8, (*machine).subscribe},
	{3, (*machine).leave},
	{12, (*machine).commitSome},
	{6, (*machine).refuse},
	{9, (*machine).find},
	{9, (*machine).findAgain},
	{2, (*machine).endSome},
}

// serve makes a machine one of the queue service, too.
func (x *machine) serve() {
	m := x.m
	m.service = &mService{first: map[string]bool{}, slot: func(i int) uint32 { return x.clientOf(i).slot }}
	l := &m.service.limits
	l.MaxDelivery = choose(x, "deliveries", 0, 2, 3)
	l.MaxLength = choose(x, "length", 0, 5)
	l.AutoEvict = x.pick(2, "evict") == 0
	l.MaxIdle = choose(x, "idle", 0, 5*second)
	l.Leaving = choose(x, "leaving", second, 10*second)
	l.DeadLetter = choose(x, "fate", FateRear, FateRear, FateDrop, FateBury)
	x.w.limits = *l
	for _, c := range machineConsumers {
		m.clients = append(m.clients, mClient{consumer: &c})
	}
}

// clientOf is a client of the state's, by its number in the model.
func (x *machine) clientOf(i int) *Client {
	c := x.m.clients[i].consumer
	if c == nil {
		return &x.w.users[fmt.Sprint(i)].client
	}
	return &x.w.s.tubes[c.queue].service.first.users[c.user].client
}

// say runs one operation of the queue service on both and compares everything.
func (x *machine) say(i int, a Ask, op Op, body string) {
	x.forget()
	c := x.m.clients[i].consumer
	if a.Queue == "" {
		a.Queue = c.queue
	}
	who := "g." + c.user + "@" + c.queue
	a.Group, a.User, a.Limits = "g", c.user, &x.w.limits
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
		x.w.lastID++
		want.ID = x.w.lastID
	}
	x.w.service(&op)
	x.m.ask(x.w.now, i, &want, body, x.w.log.Full)
	if op.Status != want.Status || op.Status == OK && op.ID != want.ID {
		x.w.t.Fatalf("%s: operation %d is answered %v %d, want %v %d", who, a.What, op.Status, op.ID, want.Status, want.ID)
	}
	if a.What == AskGet && op.Status == OK {
		if got, want := x.w.asked(&op), strings.Trim(fmt.Sprint(x.m.service.found), "[]"); got != want {
			x.w.t.Fatalf("found are %s, want %s", got, want)
		}
	}
	x.tick()
}

func (x *machine) consumer() int { return machineClients + x.pick(len(machineConsumers), "consumer") }

func (x *machine) putItem() {
	if len(x.m.jobs) > 30 {
		return
	}
	queue := choose(x, "queue", "default", "one", "two", "one;rear")
	x.at(700)
	body := fmt.Sprintf("item %d", x.w.lastID+1)
	x.w.bodies[x.w.lastID+1] = body
	delete(x.w.tags, x.w.lastID+1)
	a := Ask{What: AskPut, Queue: queue}
	if a.Tags = x.tags(2); a.Tags != nil {
		x.w.tags[x.w.lastID+1] = a.Tags
	}
	op := Op{Pri: choose[uint32](x, "pri", 0, 1023, 1024, 1024, 1024), Data: []byte(body), Size: uint32(len(body))}
	x.say(x.consumer(), a, op, body)
}

func (x *machine) subscribe() {
	i := x.consumer()
	a := Ask{What: AskWatch, Window: x.pick(4, "window"), AutoCommit: x.pick(8, "auto") == 0}
	if x.pick(3, "choosy") > 0 {
		a.Tags, a.Index = x.tags(4), x.index(2)
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

// The queue service and workers on the same tubes, against the model.
func TestServiceModel(t *testing.T) {
	var all []func(*machine)
	for _, c := range commands {
		for range c.weight {
			all = append(all, c.run)
		}
	}
	for _, c := range serviceCommands {
		for range 2 * c.weight {
			all = append(all, c.run)
		}
	}
	first, last := uint64(1), uint64(150)
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, seed))
			step := 0
			defer func() {
				if t.Failed() {
					t.Logf("step %d; repeat with -run TestServiceModel -queue.seed %d", step, seed)
				}
			}()
			x := newServiceMachine(t, func(n int, _ string) int { return rnd.IntN(n) })
			for ; step < 500; step++ {
				all[rnd.IntN(len(all))](x)
			}
		})
	}
}
