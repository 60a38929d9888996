package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/faults/history"
	"beanfield/tools/marked"
)

// Tubes are those that workers use.
var Tubes = []string{"default", "mail", "images", "reports", "a-tube-with-a-longer-name", "x", "y", "z"}

const (
	// pipeline is how many commands are sent at once, at most.
	pipeline = 16
	// enough is how many living jobs make workers delete more than they put.
	enough = 1500
	// holding is how many jobs a connection holds, at most.
	holding = 12
)

// A held is a job that a connection has reserved.
type held struct {
	job *history.Job
	id  uint64
}

// worker is one connection.
type worker struct {
	ledger *history.Ledger
	conn   *history.Conn
	client *client.Client
	dice   *rand.Rand
	role   int
	used   string
	held   []held

	data []byte
	then []after // what to do with each answer
	sent history.Moment
	wait time.Duration // for which the answers may be held back, as was asked for
}

// An after is told the answer to a command; nil: there is none.
type after struct {
	note func(r *client.Reply)
	// proof tells whether the answer shows that the server serves: those to use and watch, which are
	// about no job, do not.
	proof bool
}

// Work is a client that works until ctx ends, with one connection after the other. The role is its number.
func Work(ctx context.Context, s *Seeker, ledger *history.Ledger, seed uint64, role int) {
	dice := rand.New(rand.NewPCG(seed, uint64(role)))
	for ctx.Err() == nil {
		c, node, err := s.Find(ctx, dice)
		if err != nil {
			return
		}
		w := &worker{ledger: ledger, conn: ledger.Connect(node, role), client: c, dice: dice, role: role,
			used: "default"}
		for _, t := range Tubes {
			if t != "default" && dice.IntN(2) == 0 {
				w.add(after{}, "watch %s", t)
			}
		}
		err = w.flush()
		for n := 10 + dice.IntN(300); n > 0 && err == nil && ctx.Err() == nil; n-- {
			w.act()
			err = w.flush()
		}
		c.HangUp()
	}
}

// add appends a command to what is sent next.
func (w *worker) add(then after, format string, args ...any) {
	w.data = fmt.Appendf(w.data, format, args...)
	w.data = append(w.data, "\r\n"...)
	w.then = append(w.then, then)
}

// flush sends what has gathered, and notes the answers. What has none may have happened or not.
func (w *worker) flush() error {
	w.sent = w.ledger.Now()
	lost := w.client.Send(w.data)
	proved := false
	for _, then := range w.then {
		r, err := w.client.Next()
		if err != nil {
			lost = err
			break
		}
		if then.proof && !proved && r.Word != broken {
			w.ledger.Answered(w.conn, r.Word, w.sent, w.wait)
			proved = true
		}
		w.then = w.then[1:]
		then.tell(&r)
	}
	for _, then := range w.then {
		then.tell(nil)
	}
	w.data, w.then, w.wait = w.data[:0], nil, 0
	return lost
}

func (a after) tell(r *client.Reply) {
	if a.note != nil {
		a.note(r)
	}
}

// act gathers what is sent next. Roles have their favourites.
func (w *worker) act() {
	living := w.ledger.Counts().Living
	switch n := w.dice.IntN(10); {
	case w.role%3 == 0 && n < 8 && living < enough || living < enough/20:
		w.produce()
	case w.role%3 == 2 && n < 2:
		w.kick()
	case len(w.held) > 0 && (n < 6 || len(w.held) >= holding):
		w.work()
	default:
		w.reserve()
	}
}

// produce puts jobs into one tube.
func (w *worker) produce() {
	if t := Tubes[w.dice.IntN(len(Tubes))]; t != w.used {
		w.used = t
		w.add(after{}, "use %s", t)
	}
	many := 1
	if w.dice.IntN(2) == 0 {
		many += w.dice.IntN(pipeline)
	}
	for range many {
		ttr, delay := 60+w.dice.IntN(60), 0
		switch w.dice.IntN(20) {
		case 0:
			ttr = 1 + w.dice.IntN(2)
		case 1:
			delay = 1 + w.dice.IntN(2)
		}
		j := w.ledger.NewJob(w.conn, w.used, time.Duration(ttr)*time.Second)
		body := marked.Body(j.Token, w.size())
		w.add(after{func(r *client.Reply) { w.inserted(j, r) }, true}, "put %d %d %d %d\r\n%s", w.dice.IntN(1000),
			delay, ttr, len(body), body)
	}
}

func (w *worker) size() int {
	switch n := w.dice.IntN(100); {
	case n < 80:
		return marked.HeadLen + w.dice.IntN(200)
	case n < 98:
		return marked.HeadLen + w.dice.IntN(4000)
	case w.dice.IntN(4) > 0:
		return marked.HeadLen + w.dice.IntN(65535)
	}
	return marked.HeadLen + w.dice.IntN(LongestBody-marked.HeadLen+1)
}

// LongestBody is more than a store takes in one piece (storage.LargeBody).
const LongestBody = 3 << 20

func (w *worker) inserted(j *history.Job, r *client.Reply) {
	switch {
	case r == nil:
		return // the ledger has it as not answered
	case r.Word == "INSERTED":
		w.ledger.EndPut(j, history.Done, r.Number)
	case r.Word == "DRAINING" || r.Word == "OUT_OF_MEMORY":
		w.ledger.EndPut(j, history.Refused, 0)
	default:
		w.strange(r)
		w.ledger.EndPut(j, history.Unknown, 0)
	}
}

// broken is the answer of a server that does not know what has happened. One that serves no more says so until its
// connections are cut, so it proves nothing.
const broken = "INTERNAL_ERROR"

// strange notes an answer that is none to expect, whatever has happened.
func (w *worker) strange(r *client.Reply) {
	if r.Word != broken {
		w.ledger.Find("FR0", "connection %d to node %s: the answer is %q", w.conn.ID, w.conn.Node, r.Line)
	}
}

// reserve asks for jobs.
func (w *worker) reserve() {
	timeout, many := 0, 1
	if w.dice.IntN(20) == 0 {
		timeout, w.wait = 1, time.Second
	} else {
		many += w.dice.IntN(holding)
	}
	for range many {
		w.add(after{w.reserved, true}, "reserve-with-timeout %d", timeout)
	}
}

func (w *worker) reserved(r *client.Reply) {
	switch {
	case r == nil:
		return
	case r.Word == "RESERVED":
		token, err := marked.Read(r.Body)
		if err != nil {
			w.ledger.Find("FR1", "job %d was handed out with a damaged body: %v", r.Number, err)
			return
		}
		if j := w.ledger.Reserved(w.conn, w.sent, r.Number, token); j != nil {
			w.held = append(w.held, held{j, r.Number})
		}
	case r.Word != "TIMED_OUT" && r.Word != "DEADLINE_SOON":
		w.strange(r)
	}
}
