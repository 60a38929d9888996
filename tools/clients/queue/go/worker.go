package main

import (
	"fmt"
	"time"

	beanstalk "beanfield/conn/beanstalk/client"
	"beanfield/tools/clients/checks"
)

// worker is a beanstalk client that uses and watches the same tube.
type worker struct{ *beanstalk.Client }

func (x *client) worker() worker {
	c, err := beanstalk.Dial(beanstalk.Options{Server: workers, Timeout: checks.Patience})
	must(err)
	w := worker{c}
	x.open = append(x.open, w.close)
	w.say("use " + x.queue)
	w.say("watch " + x.queue)
	w.say("ignore default")
	return w
}

func (w worker) close() { w.HangUp() }

// say sends a command and returns the line of its reply.
func (w worker) say(command string) string {
	r, err := w.Ask(command)
	must(err)
	return r.Line
}

func (w worker) put(body string, pri, delay, ttr int) uint64 {
	r, err := w.Put(fmt.Sprintf("put %d %d %d %d", pri, delay, ttr, len(body)), []byte(body))
	must(err)
	must(r.Want("INSERTED"))
	return r.Number
}

// reserve takes a job; 0 if there is none within the time.
func (w worker) reserve(seconds int) (index uint64, body string) {
	r, err := w.AskWithin(time.Duration(seconds)*time.Second, fmt.Sprintf("reserve-with-timeout %d", seconds))
	must(err)
	if r.Word == "TIMED_OUT" {
		return 0, ""
	}
	must(r.Want("RESERVED"))
	return r.Number, string(r.Body)
}

// stats asks for a dictionary.
func (w worker) stats(command string) beanstalk.Document {
	d, err := w.Stats(command)
	must(err)
	return d
}
