package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
)

// The consumers of the service machine: of first groups, and of views. Its beanstalk clients
// are the machine's, so workers and consumers share the jobs.
var machineConsumers = []string{
	"g.a@default", "g.a@one", "g.b@one", "g.a@two", "g.b@two", "g.a@one;rear",
	"h.a@one", "h.b@one", "i.a@one", "h.a@two", "h.a@one;rear",
}

var serviceCommands = append([]command{
	{"find again", 9, (*machine).findAgain},
	{"drop group", 1, (*machine).dropGroup},
}, said((*machine).saysTo, `
	12 q@{queue} item {0|1023|1024|1024|1024} {tags}
	8 {who} sub {0|1|2|3} {|||||||auto} {{tags}|{tags}|} {index=new|index={id}||||}
	3 {who} leave
	12 {who} commit {few}
	6 {who} negative {No|No|No|No|Shutdown} why {few}
	9 q@{queue} get {from=-1|from={id}||||} len={1|2|3} {|take} {{tags}|} {wait}
	1 q@{queue} delete {id} {id}
	1 q@{queue} trunc {id}`)...)

// saysTo has a consumer, or somebody for whom it does not matter, say such a line.
func (x *machine) saysTo(line string) {
	i := x.consumer()
	switch strings.Fields(line)[1] {
	case "item":
		if len(x.m.Jobs) > 30 {
			return
		}
		x.at(700)
	case "leave":
		x.at(800)
	}
	x.speaks(i, x.fill(i, line))
}

// speaks runs one operation of the queue service on both, where client i is the consumer, and compares everything.
func (x *machine) speaks(i int, line string) {
	x.forget()
	words := strings.Fields(line)
	op := x.w.asking(words[0], asks[words[1]], words[2:])
	want := op
	if want.Ask.What == AskPut {
		want.ID = x.w.dir.Last + 1
	}
	x.w.service(&op)
	x.modelAsk(i, &want, string(want.Data))
	if op.Status != want.Status || op.Status == OK && op.ID != want.ID {
		x.w.t.Fatalf("%s is answered %v %d, want %v %d", line, op.Status, op.ID, want.Status, want.ID)
	}
	if op.Ask.What == AskGet && op.Status == OK {
		if got, want := x.w.asked(&op), strings.Trim(fmt.Sprint(x.m.Found), "[]"); got != want {
			x.w.t.Fatalf("%s finds %s, want %s", line, got, want)
		}
	}
	x.tick()
}

// serve makes a machine one of the queue service, too.
func (x *machine) serve() {
	x.serves = true
	x.w.setLimits(strings.Fields(x.fill(0, "delivery={0|2|3} length={0|5} evict={0|1} idle={0|5}s leaving={1|10}s "+
		"dead={rear|rear|drop|bury}")))
	x.m.Limits = x.w.limits
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
	x.m.ViewSlot = func(tube string, v *naive.View) uint32 { return x.w.s.tubes[tube].service.named[v.Name].slot }
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

func (x *machine) consumer() int { return machineClients + x.pick(len(machineConsumers), "consumer") }

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
		x.speaks(i, who(c)+" drop")
	}
}

// The queue service and workers on the same tubes, against the model. Q1 to Q7, F1 to F4, V1 to V4 and
// M5 hold after each step.
func TestServiceModel(t *testing.T) {
	all := append(weighted(1, commands), weighted(2, serviceCommands)...)
	seeds := uint64(150)
	if testing.Short() {
		seeds = 40
	}
	eachSeed(t, seeds, 600, func(t *testing.T, rnd *rand.Rand) func() {
		x := newServiceMachine(t, func(n int, _ string) int { return rnd.IntN(n) })
		return func() { all[rnd.IntN(len(all))](x) }
	})
}
