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

var commands = []command{
	{"put", 12, (*machine).put},
	{"tick", 2, (*machine).putTick},
	{"put all", 3, (*machine).putAll},
	{"reserve", 10, (*machine).reserve},
	{"reserve several", 4, (*machine).reserveSeveral},
	{"offer several", 1, (*machine).offerSeveral},
	{"wait", 5, (*machine).wait},
	{"end a wait", 6, (*machine).endWait},
	{"release", 5, (*machine).release},
	{"bury", 4, (*machine).bury},
	{"by id", 8, (*machine).byID},
	{"several by id", 5, (*machine).severalByID},
	{"alter", 4, (*machine).alterJobs},
	{"peek", 2, (*machine).peek},
	{"kick", 3, (*machine).kick},
	{"pause", 2, (*machine).pause},
	{"truncate", 1, (*machine).truncate},
	{"use and watch", 6, (*machine).member},
	{"detach", 2, (*machine).detach},
	{"time", 10, (*machine).time},
	{"log", 1, (*machine).toggleLog},
	{"restart", 1, func(x *machine) {
		if x.pick(5, "restart") == 0 {
			x.restart()
		}
	}},
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
	ticket := u.Arm()
	if x.m.Clients[c].Open = true; x.pick(4, "late") == 0 {
		x.endElsewhere(c, u)
	}
	op := Op{Kind: Wait, Ticket: ticket}
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
			u.apply(Op{Kind: Withdraw, Ticket: u.ticket - 1})
			x.compare()
		case 1:
			x.endElsewhere(c, u)
		default:
			x.endElsewhere(c, u)
			x.do(c, u, Op{Kind: Withdraw, Ticket: u.ticket}, "")
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

func (x *machine) release() {
	c, u := x.client()
	if u == nil {
		return
	}
	id := x.held(c)
	if j := x.m.Job(id); j != nil {
		x.atTube(j.Tube)
	}
	if x.m.Clients[c].Waiting > 0 {
		return
	}
	x.do(c, u, Op{
		Kind: Release, ID: id, Pri: choose[uint32](x, "pri", 0, 1, 1023, 1024),
		Delay: choose[uint32](x, "delay", 0, 0, 1, 2),
	}, "")
}

func (x *machine) bury() {
	if c, u := x.client(); u != nil {
		x.do(c, u, Op{Kind: Bury, ID: x.held(c), Pri: choose[uint32](x, "pri", 0, 1, 1023, 1024)}, "")
	}
}

func (x *machine) byID() {
	if c, u := x.client(); u != nil {
		kind := choose(x, "kind", Delete, Delete, Touch, ReserveJob, ReserveJob, KickJob, Peek, Quarantine)
		id := x.id()
		if kind == Touch || kind == Delete {
			id = x.held(c)
		}
		x.do(c, u, Op{Kind: kind, ID: id}, "")
	}
}

func (x *machine) peek() {
	if c, u := x.client(); u != nil && x.m.Clients[c].Used != "" {
		x.do(c, u, Op{Kind: choose(x, "kind", PeekReady, PeekDelayed, PeekBuried)}, "")
	}
}

func (x *machine) kick() {
	if c, u := x.client(); u != nil && x.m.Clients[c].Used != "" {
		x.do(c, u, Op{Kind: Kick, Limit: choose[uint32](x, "bound", 0, 1, 1, 2, 5, 4294967295)}, "")
	}
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

func (x *machine) truncate() {
	if c, u := x.client(); u != nil && x.pick(4, "really") == 0 {
		x.do(c, u, Op{Kind: Truncate, Data: []byte(choose(x, "tube", machineTubes...))}, "")
	}
}

func (x *machine) member() {
	c, u := x.client()
	if u == nil {
		return
	}
	name := choose(x, "tube", machineTubes...)
	op := Op{Kind: Watch, Data: []byte(name)}
	switch x.pick(6, "how") {
	case 0, 1:
		op.Kind = Use
	case 2:
		op.Kind = Unuse
	default:
		if slices.Contains(x.m.Clients[c].Watched, name) {
			op.Kind = Ignore
		}
	}
	x.do(c, u, op, "")
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
