package queue

import (
	"fmt"
	"slices"
	"strings"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/queuetest"
)

// command is what a machine may do next, the more often the heavier.
type command struct {
	name   string
	weight int
	run    func(*machine)
}

var commands = append([]command{
	{"put", 12, (*machine).put},
	{"tick", 2, (*machine).putTick},
	{"put all", 3, (*machine).putAll},
	{"reserve", 10, (*machine).reserve},
	{"reserve several", 4, (*machine).reserveSeveral},
	{"offer several", 1, (*machine).offerSeveral},
	{"wait", 5, (*machine).wait},
	{"end a wait", 6, (*machine).endWait},
	{"pause", 2, (*machine).pause},
	{"detach", 2, (*machine).detach},
	{"time", 10, (*machine).time},
	{"log", 1, (*machine).toggleLog},
	{"restart", 1, func(x *machine) {
		if x.pick(5, "restart") == 0 {
			x.restart()
		}
	}},
}, said((*machine).says, `
	5 release {held} {0|1|1023|1024} {0|0|1|2}
	4 bury {held} {0|1|1023|1024}
	2 delete {held}
	1 touch {held}
	2 reserve-job {id}
	1 kick-job {id}
	1 peek {id}
	1 quarantine {id}
	1 delete-several {some}
	1 release-several-for {0|1|1023|1024} {0s|1s|2s|1250ms} {one tube}
	1 release-several-for {0|1|1023|1024} 0s {some}
	1 bury-several {0|1|1023|1024} {some}
	1 touch-several {0|0|1s|5s|750ms} {some}
	3 move {tube} {tube} {||ready|buried} {ids}
	1 change {pri=0|pri=1|pri=1023|pri=1024} {ids}
	1 change {ttr=1s|ttr=2s|pri=1,ttr=250ms|ttr=1750ms} {ids}
	1 change {delay=0s|delay=1s|pri=1023,delay=2250ms|delay=1s,ttr=250ms} {ids}
	2 {peek-ready|peek-delayed|peek-buried}
	3 kick {0|1|1|2|5|4294967295}
	1 truncate {{tube}|none|none|none}
	2 use {tube}
	1 unuse
	3 watch {tube}`)...)

// said are commands that are lines of a script.
func said(by func(*machine, string), text string) (list []command) {
	for _, line := range spoken(text) {
		list = append(list, command{line, 1, func(x *machine) { by(x, line) }})
	}
	return list
}

// says has a client that does not wait say such a line.
func (x *machine) says(line string) {
	c, u := x.client()
	if u == nil {
		return
	}
	words := strings.Fields(x.fill(c, line))
	verb, to := words[0], ""
	used := x.m.Clients[c].Used
	switch {
	case verb == "release":
		to = x.tubeOf(words[1])
	case verb == "release-several-for" && len(words) > 3:
		to = x.tubeOf(words[3])
	case verb == "move":
		to = words[2]
	case verb == "change":
		to = used
	case verb == "watch" && slices.Contains(x.m.Clients[c].Watched, words[1]):
		words[0] = "ignore"
	}
	idle := used == "" && slices.Contains([]string{"change", "kick", "peek-ready", "peek-delayed", "peek-buried"}, verb)
	if idle || verb == "move" && words[1] == to {
		return
	}
	if to != "" { // where it may be delayed
		x.atTube(to)
	}
	if x.m.Clients[c].Waiting == 0 {
		x.do(c, u, u.parse(words[0], words[1:]), "")
	}
}

// tubeOf is where a job is, or "".
func (x *machine) tubeOf(id string) string {
	if j := x.m.Job(number(id)); j != nil {
		return j.Tube
	}
	return ""
}

// fill makes a line that can be said by a client of the model.
func (x *machine) fill(c int, line string) string {
	return x.pick.fill(line, func(name string) string {
		switch name {
		case "held":
			return fmt.Sprint(x.held(c))
		case "id":
			return fmt.Sprint(x.id())
		case "tube":
			return choose(x, name, machineTubes...)
		case "queue":
			return choose(x, name, "default", "one", "two", "one;rear")
		case "tags":
			return strings.Join(x.tags(2), " ")
		case "tagged":
			return x.fill(c, "{||tag=k:v|tag=requestId:r|tag=requestId:s|tag=k:v tag=requestId:r}")
		case "who":
			return who(x.m.Clients[c].Consumer)
		case "some":
			return x.fill(c, strings.Repeat("{held} ", x.pick(8, name)))
		case "few":
			return x.fill(c, strings.Repeat("{held} ", x.pick(4, name)))
		case "ids":
			if x.m.Policies != nil { // between the turns of more, jobs may end that are too old
				return x.fill(c, strings.Repeat("{id} ", x.pick(2, name)))
			}
			return x.fill(c, strings.Repeat("{id} ", x.pick(6, name)))
		case "one tube":
			ids := strings.Fields(x.fill(c, "{some}"))
			others := func(id string) bool { return x.tubeOf(id) != x.tubeOf(ids[0]) }
			return strings.Join(slices.DeleteFunc(slices.Clone(ids), others), " ")
		case "wait":
			if g := x.getter(); g != nil && x.pick(3, name) > 0 {
				return "wait=" + g.name
			}
			return ""
		}
		panic("nobody can make " + name)
	})
}

func (x *machine) put() {
	c, u := x.client()
	if u == nil {
		return
	}
	tube, named := x.m.Clients[c].Used, ""
	if tube == "" || x.pick(5, "named") == 0 {
		named = choose(x, "tube", machineTubes...)
		tube = named
	}
	if len(x.m.Jobs) > 30 {
		x.do(c, u, Op{Kind: Delete, ID: x.id()}, "")
		return
	}
	x.atTube(tube)
	if x.m.Clients[c].Waiting > 0 {
		return
	}
	id := x.w.dir.Last + 1
	op := Op{
		Kind: Put, Tube: named, Pri: choose[uint32](x, "pri", 0, 1, 1, 1023, 1024, 4294967295),
		Delay: choose[uint32](x, "delay", 0, 0, 0, 1, 2, 3), TTR: choose[uint32](x, "ttr", 1, 2, 3, 10),
	}
	body := x.body(id)
	if x.pick(2, "whose id") == 0 {
		op.ID = id
	}
	op.Size = uint32(len(body))
	if half := len(body) / 2; len(body) > cells.SmallMost || x.pick(4, "parts") == 0 {
		op.Parts = [][]byte{[]byte(body[:half]), []byte(body[half:])}
	} else {
		op.Data = []byte(body)
	}
	if len(body) == 0 {
		op.Parts = nil
	}
	x.options(&op)
	x.do(c, u, op, body)
}

func (x *machine) reserve() {
	c, u := x.client()
	if u == nil || len(x.m.Clients[c].Watched) == 0 {
		return
	}
	op := Op{Kind: choose(x, "how", Reserve, Offer, Claim, Soonest, Reserve)}
	if op.Kind == Reserve {
		op.Poll = x.pick(2, "poll") == 0
	}
	if op.Kind != Soonest {
		x.wish(c, &op)
	}
	x.do(c, u, op, "")
}

// wait registers a client the way a reserve over several shards does; now and
// then another shard has been faster.
func (x *machine) wait() {
	c, u := x.client()
	if u == nil || len(x.m.Clients[c].Watched) == 0 {
		return
	}
	u.Arm()
	if x.m.Clients[c].Open = true; x.pick(4, "late") == 0 {
		x.endElsewhere(c, u)
	}
	op := Op{Kind: Wait}
	x.wish(c, &op)
	x.do(c, u, op, "")
}

// endElsewhere ends a wait in another shard; this one has still to be told.
func (x *machine) endElsewhere(c int, u *user) {
	u.end()
	x.m.Clients[c].Open = false
}

// endWait ends somebody's wait elsewhere, and lets the shard know at once,
// later or by way of an outdated withdrawal.
func (x *machine) endWait() {
	for c := range machineClients {
		u := x.w.users[string(rune('0'+c))]
		if x.m.Clients[c].Waiting == 0 || x.pick(2, "this") == 0 {
			continue
		}
		switch x.pick(4, "end") {
		case 0:
			x.forget()
			b := u.batch(Op{Kind: Withdraw})
			b.Ticket--
			x.w.s.Apply(x.w.now, b, &b.Ops[0])
			x.compare()
		case 1:
			x.endElsewhere(c, u)
		default:
			x.endElsewhere(c, u)
			x.do(c, u, Op{Kind: Withdraw}, "")
		}
		return
	}
}

// held picks a job of the client's, mostly.
func (x *machine) held(c int) uint64 {
	ids := x.m.Pending(c)
	if len(ids) == 0 || x.pick(10, "not held") == 0 {
		return x.id()
	}
	return choose(x, "held", ids...)
}

func (x *machine) pause() {
	c, u := x.client()
	if u == nil {
		return
	}
	x.atPause()
	if x.m.Clients[c].Waiting == 0 {
		name := choose(x, "tube", machineTubes...)
		x.do(c, u, Op{Kind: Pause, Data: []byte(name), Delay: choose[uint32](x, "pause", 0, 1, 2, 3)}, "")
		x.passTo(x.w.now + 1) // what is reserved next begins at another phase
	}
}

// detach hangs up a client, also one that waits.
func (x *machine) detach() {
	c := x.pick(machineClients, "client")
	u := x.w.users[string(rune('0'+c))]
	x.endElsewhere(c, u)
	x.do(c, u, Op{Kind: Detach}, "")
}

func (x *machine) time() {
	now := x.w.now
	switch next := x.next(); x.pick(7, "time") {
	case 0:
		x.passTo(now + 1)
	case 1:
		x.passTo(now + 700e6)
	case 2:
		x.passTo(now + 3*second + 7)
	case 3:
		x.passTo(max(now, next))
	case 4:
		x.passTo(max(now, next-1))
	case 5:
		x.passTo(max(now, next-second)) // where the margin of a deadline begins
	default:
		// Nobody serves the shard for a while. Without waiters it does not
		// matter in which order it makes up for that.
		if !x.serves && !slices.ContainsFunc(x.m.Clients, func(c *naive.Client) bool { return c.Waiting > 0 }) {
			x.w.now += int64(x.pick(4, "late")) * 900e6
			x.tick()
		}
	}
}

func (x *machine) toggleLog() {
	for x.w.s.graving() { // the windows of keys there are logged now, or not at all
		x.tick()
	}
	x.w.log.Full = queuetest.Fullness(max(0, x.pick(6, "full")-3))
}

func (x *machine) body(id uint64) string {
	size := choose(x, "size", 0, 1, 11, 100, 2048, 2049, 5000)
	text := strings.Repeat(fmt.Sprintf("job %d ", id), size/6+1)[:size]
	x.w.bodies[id] = text
	delete(x.w.tags, id)
	return text
}
