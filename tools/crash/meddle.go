package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
)

// meddle does what a connection may do to jobs that it has not reserved.
func (a *actor) meddle() {
	for range 1 + a.dice.IntN(pipeline/2) {
		switch a.dice.IntN(8) {
		case 0:
			a.kick()
			return // it is for the tube in use, which this changes
		case 5:
			a.move()
		case 6:
			a.change()
		case 7:
			a.truncate()
		case 1:
			a.kickJob()
		case 2:
			a.remove()
		case 3:
			a.take()
		default:
			a.peek()
		}
	}
}

// kick brings some buried jobs back, if it is known which.
func (a *actor) kick() {
	t := tubes[a.dice.IntN(len(tubes))]
	if !a.lockNew(t) {
		return
	}
	bound := 1 + a.dice.IntN(5)
	list := a.l.kick(t, bound)
	if len(list) == 0 {
		return // it would kick delayed jobs: which ones, only the server knows
	}
	a.used = t
	a.add(func(client.Reply) {}, "use %s", t)
	a.tellAll(list, "KICKED", fmt.Sprintf("kick %d", bound))
}

// tellAll sends a command that is about all of some jobs.
func (a *actor) tellAll(list []*job, yes, command string) {
	a.add(func(r client.Reply) {
		if r.Word != yes || r.Number != uint64(len(list)) {
			a.l.failf("%s in tube %s: the answer is %q, want %d", command, list[0].tube, r.Line, len(list))
		}
		for _, j := range list {
			a.l.end(j, true)
		}
	}, "%s", command)
}

// lockNew takes the order of a tube of whose buried jobs none has a command in flight: then the order is known.
func (a *actor) lockNew(tube string) bool {
	return !slices.Contains(a.locks, a.l.order[tube]) && a.lock(tube)
}

// any draws a job to meddle with; of the buried ones the order must be free.
func (a *actor) any(ok func(version) bool) *job {
	j := a.l.pick(a.dice, func(j *job) bool { return ok(j.now()) })
	if j == nil || !a.lockFor(j) {
		return nil
	}
	return j
}

func (a *actor) kickJob() {
	j := a.any(func(v version) bool { return v.state == buried || v.state == delayed })
	if j != nil {
		a.tell(j, version.kicked, "KICKED", "", "kick-job %d", j.id)
	}
}

func (a *actor) remove() {
	j := a.any(func(v version) bool { return v.state == buried || a.dice.IntN(4) == 0 })
	if j != nil {
		a.tell(j, version.ended, "DELETED", "", "delete %d", j.id)
	}
}

// take reserves a job by its id, which is in no log. But a tube with a policy logs that it has come back, as a ready
// one.
func (a *actor) take() {
	j := a.any(func(v version) bool { return v.tube != failing || v.state == ready })
	if j == nil || !a.l.begin(j, "reserve-job", func(v version) version { return v }) {
		return
	}
	sent := a.l.clock.Add(1)
	a.add(func(r client.Reply) {
		a.keep(r, sent, j)
		a.l.taken(j, r.Word == "RESERVED")
	}, "reserve-job %d", j.id)
}

// taken notes the answer of a reserve-job: a buried job has left its place
// among the others, until a restart.
func (l *ledger) taken(j *job, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := j.out || done
	l.finish(j, false)
	j.out = out
}

func (a *actor) peek() {
	j := a.l.pick(a.dice, func(*job) bool { return true })
	if j == nil {
		return
	}
	a.add(func(r client.Reply) {
		if r.Word != "FOUND" {
			return // deleted meanwhile
		}
		if token, err := marked.Read(r.Body); err != nil || token != j.token && len(r.Body) > 0 {
			a.l.failf("peek %d shows the body of %x: %v", j.id, token, err)
		}
	}, "peek %d", j.id)
}

// play is what one connection does until the server is gone.
func play(l *ledger, addr string, service *queueService, seed uint64, role int, killed *atomic.Bool) {
	dice := rand.New(rand.NewPCG(seed, uint64(role)))
	for !l.failed() {
		c, err := dial(addr)
		if err != nil {
			if !killed.Load() {
				l.failf("connection %d: %v", role, err)
			}
			return
		}
		a := &actor{Client: c, l: l, dice: dice, used: "default", queue: service, held: map[uint64]*job{}}
		for _, t := range tubes {
			if t != "default" && dice.IntN(2) == 0 {
				a.add(func(client.Reply) {}, "watch %s", t)
			}
		}
		err = a.flush()
		for n := 10 + dice.IntN(200); n > 0 && err == nil && !l.failed(); n-- {
			a.act(role)
			err = a.flush()
		}
		c.HangUp() // what it holds is ready again
		if err != nil {
			if !killed.Load() {
				l.failf("connection %d, before the kill: %v", role, err)
			}
			return
		}
	}
}

// act gathers what is sent next. Roles have their favourites.
func (a *actor) act(role int) {
	living := a.l.living()
	switch n := a.dice.IntN(10); {
	case role%3 == 0 && n < 8 && living < many || living < many/20:
		a.produce()
	case role%3 == 2 && n < 5:
		a.meddle()
	case len(a.held) > 0 && n < 8:
		a.work()
	default:
		a.reserve()
	}
}
