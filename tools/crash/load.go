package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
)

var tubes = []string{"default", "mail", "images", "reports", "a-tube-with-a-longer-name", "x", "y", "z", "mail;rear"}

const (
	// many is how many living jobs make clients delete more than they put.
	many = 1200
	// pipeline is how many commands are sent at once, at most.
	pipeline = 16
)

// answerWithin bounds the wait for a reply of a server that lives.
const answerWithin = 30 * time.Second

func dial(addr string) (*client.Client, error) {
	return client.Dial(client.Options{Server: addr, Timeout: answerWithin})
}

// actor is a connection with the commands that it is about to send at once.
type actor struct {
	*client.Client
	l     *ledger
	dice  *rand.Rand
	used  string
	queue *queueService

	data  []byte
	then  []func(client.Reply) // what to do with each answer
	locks []*sync.Mutex        // given back when the answers are there
	held  map[uint64]*job      // reserved by this connection, as far as it knows
}

// add appends a command to what is sent next.
func (a *actor) add(then func(client.Reply), format string, args ...any) {
	a.data = fmt.Appendf(a.data, format, args...)
	a.data = append(a.data, "\r\n"...)
	a.then = append(a.then, then)
}

// flush sends what has gathered and notes the answers. After an error some
// are missing: these commands stay in flight.
func (a *actor) flush() error {
	// Of what could not be sent whole, a part may be answered.
	failed := a.Send(a.data)
	for _, then := range a.then {
		r, err := a.Next()
		if err != nil {
			return errors.Join(err, failed)
		}
		then(r)
	}
	for _, m := range a.locks {
		m.Unlock()
	}
	a.data, a.then, a.locks = a.data[:0], a.then[:0], a.locks[:0]
	return nil
}

// lock takes the order of the buried jobs of a tube, if no other connection has it: then
// only this one changes that order.
func (a *actor) lock(tube string) bool {
	m := a.l.order[tube]
	if slices.Contains(a.locks, m) {
		return true
	}
	if !m.TryLock() {
		return false
	}
	a.locks = append(a.locks, m)
	return true
}

// lockFor does so for the tube in which a job is.
func (a *actor) lockFor(j *job) bool {
	v, _, _ := a.l.look(j)
	if !a.lock(v.tube) {
		return false
	}
	again, _, _ := a.l.look(j)
	return again.tube == v.tube // nobody has moved it meanwhile
}

// tell sends a command that turns a job into next, unless another one about it is in flight. The answer is yes, a line
// or a word, or else NOT_FOUND or no.
func (a *actor) tell(j *job, next func(version) version, yes, no, format string, args ...any) {
	command := fmt.Sprintf(format, args...)
	if !a.l.begin(j, command, next) {
		return
	}
	a.add(func(r client.Reply) {
		done := r.Word == yes || r.Line == yes
		if !done && r.Word != "NOT_FOUND" && r.Line != no {
			a.l.failf("job %d: %s is answered %q", j.id, command, r.Line)
		}
		a.l.end(j, done)
	}, "%s", command)
}

// produce puts jobs into one tube.
func (a *actor) produce() {
	if t := tubes[a.dice.IntN(len(tubes))]; t != a.used {
		a.used = t
		a.add(func(client.Reply) {}, "use %s", t)
	}
	switch a.dice.IntN(8) {
	case 0, 1:
		a.item()
	case 2:
		a.together()
	case 3, 4:
		a.putWith()
	}
	for range 1 + a.dice.IntN(pipeline) {
		j := a.job(a.size())
		a.add(a.inserted(j), "put %s", j.text())
	}
}

// job draws a job that is about to be put.
func (a *actor) job(size int) *job {
	ttr := uint32(60 + a.dice.IntN(1000))
	if a.dice.IntN(20) == 0 {
		ttr = 1
	}
	return a.l.put(a.used, uint32(a.dice.IntN(2000)), a.delay(), ttr, size)
}

// text is what stands behind the word of a put: numbers, and the body.
func (j *job) text() string {
	v := j.could[len(j.could)-1]
	return fmt.Sprintf("%d %d %d %d\r\n%s", v.pri, v.delay, j.ttr, j.size, marked.Body(j.token, j.size))
}

// inserted notes the answer of a put.
func (a *actor) inserted(j *job) func(client.Reply) {
	return func(r client.Reply) {
		if r.Word != "INSERTED" {
			a.l.failf("put: the answer is %q", r.Line)
			return
		}
		a.l.inserted(j, r.Number)
	}
}

// delay is zero, or short, or longer than the whole run.
func (a *actor) delay() uint32 {
	switch a.dice.IntN(8) {
	case 0:
		return uint32(1 + a.dice.IntN(4))
	case 1:
		return uint32(100 + a.dice.IntN(1000))
	}
	return 0
}

func (a *actor) size() int {
	switch n := a.dice.IntN(100); {
	case n < 3:
		return 0
	case n < 80:
		return marked.HeadLen + a.dice.IntN(200)
	case n < 97:
		return marked.HeadLen + a.dice.IntN(4000)
	}
	return marked.HeadLen + a.dice.IntN(65535-marked.HeadLen+1)
}

// reserve asks for jobs, and keeps them.
func (a *actor) reserve() {
	sent := a.l.clock.Add(1)
	timeout := a.dice.IntN(20) / 19
	for range 1 + a.dice.IntN(pipeline)*(1-timeout) {
		a.add(func(r client.Reply) { a.keep(r, sent, nil) }, "reserve-with-timeout %d", timeout)
	}
}

// keep notes the answer of a reserve.
func (a *actor) keep(r client.Reply, sent uint64, wanted *job) {
	switch r.Word {
	case "RESERVED":
	case "TIMED_OUT", "DEADLINE_SOON", "NOT_FOUND":
		return
	default:
		a.l.failf("reserve: the answer is %q", r.Line)
		return
	}
	j := a.l.reserved(r.Number, r.Body, sent)
	if j != nil {
		a.held[j.id] = j
	}
	if wanted != nil && j != wanted {
		a.l.failf("reserve-job %d brought job %d", wanted.id, r.Number)
	}
}

// work does something with what this connection has reserved.
func (a *actor) work() {
	n := 0
	for id, j := range a.held {
		if n++; n > pipeline {
			return
		}
		if a.one(id, j) {
			delete(a.held, id)
		}
	}
}

func (a *actor) one(id uint64, j *job) bool {
	pri, now := uint32(a.dice.IntN(2000)), time.Now()
	choice := a.dice.IntN(100)
	if a.l.living() > many {
		choice = 20 + choice/2
	}
	switch {
	case choice < 20:
		delay := a.delay()
		next := func(v version) version {
			j.moved = j.moved || v.tube == failing
			return v.released(now, pri, delay, j.reserves)
		}
		a.tell(j, next, "RELEASED", "", "release %d %d %d", id, pri, delay)
	case choice < 65:
		a.tell(j, version.ended, "DELETED", "", "delete %d", id)
	case choice < 85:
		if !a.lockFor(j) {
			return false
		}
		rank := a.l.ranks.Add(1)
		next := func(v version) version { return v.buriedAs(rank, pri, j.reserves) }
		a.tell(j, next, "BURIED", "", "bury %d %d", id, pri)
	case choice < 90:
		a.add(func(client.Reply) {}, "touch %d", id)
		return false
	default:
		return false
	}
	return true
}
