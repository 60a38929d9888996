package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	for _, mine := range a.locks {
		if mine == m {
			return true
		}
	}
	if !m.TryLock() {
		return false
	}
	a.locks = append(a.locks, m)
	return true
}

// lockFor does so for the tube in which a job is.
func (a *actor) lockFor(j *job) bool {
	tube := a.l.tubeOf(j)
	return a.lock(tube) && a.l.tubeOf(j) == tube // nobody has moved it meanwhile
}

// tubeOf is the tube in which a job is, or from which it is being moved.
func (l *ledger) tubeOf(j *job) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return j.now().tube
}

// expect notes an answer that is one of two words.
func (a *actor) expect(j *job, yes string) func(client.Reply) {
	return func(r client.Reply) {
		if r.Word != yes && r.Word != "NOT_FOUND" {
			a.l.failf("job %d: the answer is %q, want %s or NOT_FOUND", j.id, r.Line, yes)
		}
		a.l.end(j, r.Word == yes)
	}
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
		pri, ttr := uint32(a.dice.IntN(2000)), uint32(60+a.dice.IntN(1000))
		if a.dice.IntN(20) == 0 {
			ttr = 1
		}
		j, body := a.l.put(a.used, pri, a.delay(), ttr, a.size())
		a.add(func(r client.Reply) {
			if r.Word != "INSERTED" {
				a.l.failf("put: the answer is %q", r.Line)
				return
			}
			a.l.inserted(j, r.Number)
		}, "put %d %d %d %d\r\n%s", pri, j.could[1].delay, ttr, len(body), body)
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
	sent := a.l.tick()
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
		if a.l.begin(j, fmt.Sprintf("release pri=%d delay=%d", pri, delay), next) {
			a.add(a.expect(j, "RELEASED"), "release %d %d %d", id, pri, delay)
		}
	case choice < 65:
		if a.l.begin(j, "delete", version.ended) {
			a.add(a.expect(j, "DELETED"), "delete %d", id)
		}
	case choice < 85:
		if !a.lockFor(j) {
			return false
		}
		rank := a.l.rank()
		next := func(v version) version { return v.buriedAs(rank, pri, j.reserves) }
		if a.l.begin(j, fmt.Sprintf("bury pri=%d", pri), next) {
			a.add(a.expect(j, "BURIED"), "bury %d %d", id, pri)
		}
	case choice < 90:
		a.add(func(client.Reply) {}, "touch %d", id)
		return false
	default:
		return false
	}
	return true
}
