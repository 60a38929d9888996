package beanstalk

import (
	"bytes"
	"fmt"

	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// alterMost is how many jobs move-jobs and change-jobs try at once, and how many if the line does not say.
const (
	alterMost  = 10_000
	alterUsual = 1000
)

// altering is what a connection is doing to some jobs.
type altering struct {
	router.Listing
	does   queue.Altering
	cursor []byte
	ids    []uint64
	most   bool // the line says how many
}

// alterOptions are the options of both commands.
func alterOptions(more ...protocol.Option[altering]) []protocol.Option[altering] {
	return append(append(protocol.ChoiceOptions(func(a *altering) *queue.Filter { return &a.Filter }),
		protocol.NumberOption("limit", protocol.Bounds{Least: 1, Most: alterMost}, func(a *altering, n uint64) {
			a.Most, a.most = int(n), true
		}),
		protocol.Option[altering]{Name: "cursor", Set: func(a *altering, _, value []byte) bool {
			a.cursor = value
			return len(value) > 0
		}},
		protocol.Option[altering]{Name: "ids", Set: func(a *altering, _, value []byte) bool {
			for word := range bytes.SplitSeq(value, []byte(",")) {
				id, ok := protocol.Number(word, 1<<64-1)
				if !ok {
					return false
				}
				a.ids = append(a.ids, id)
			}
			return true
		}},
	), more...)
}

var moveOptions = alterOptions(protocol.Option[altering]{Name: "as", Set: func(a *altering, _, value []byte) bool {
	for _, st := range []queue.JobState{queue.Ready, queue.Buried} {
		if string(value) == st.String() {
			a.does.As = st
		}
	}
	return a.does.As != 0
}})

var changeOptions = alterOptions(
	protocol.NumberOption("pri", protocol.AnyNumber, func(a *altering, n uint64) {
		a.does.Pri = uint32(n)
		a.does.Set |= queue.FieldPri
	}),
	protocol.TimeOption("delay", protocol.AnyTime, func(a *altering, ns int64) {
		a.does.Delay = ns
		a.does.Set |= queue.FieldDelay
	}),
	protocol.TimeOption("ttr", protocol.SomeTime, func(a *altering, ns int64) {
		a.does.TTR = ns
		a.does.Set |= queue.FieldTTR
	}),
)

// moveJobs begins to move jobs to another tube. Who may not put there is told what he is told of tubes that do
// not exist.
func (c *Conn) moveJobs(cmd *protocol.Command) bool {
	a := &altering{}
	if a.does.To = string(cmd.Onto); c.guard != nil && !c.guard.subject.May(a.does.To).Has(access.Put) {
		c.noteDenied(cmd.Verb, a.does.To, 0, slow.Right, nil)
		c.loop.refuse(protocol.NotFound)
		return true
	}
	return c.alterJobs(cmd, a, moveOptions, a.does.To != string(cmd.Name))
}

// changeJobs begins to change jobs.
func (c *Conn) changeJobs(cmd *protocol.Command) bool {
	return c.alterJobs(cmd, &altering{}, changeOptions, true)
}

func (c *Conn) alterJobs(cmd *protocol.Command, a *altering, options []protocol.Option[altering], ok bool) bool {
	a.Most = alterUsual
	ok = ok && protocol.Read(cmd.Options, options, a) && a.complete()
	if a.Tube = string(cmd.Name); ok && a.cursor != nil {
		a.From, ok = c.loop.server.router.PlaceOf(a.Tube, a.cursor)
		a.cursor = nil // borrowed from the line
	}
	if !ok {
		c.refuse(protocol.BadFormat, slow.Option, nil)
		return true
	}
	a.Alter, a.For = &a.does, a
	c.finish(callSession, c.session.Alter(&a.Listing, a.ids))
	return true
}

// complete says whether what the line says goes together, and fills in what it leaves out.
func (a *altering) complete() bool {
	f := &a.Filter
	if f.States == 0 {
		f.States = f.States.With(queue.Ready).With(queue.Delayed)
		if a.does.Set&queue.FieldDelay == 0 {
			f.States = f.States.With(queue.Buried)
		}
	}
	switch {
	case f.States.Has(queue.Reserved), a.does.Set&queue.FieldDelay != 0 && f.States.Has(queue.Buried):
		return false
	case a.ids != nil && (len(f.Body) > 0 || a.cursor != nil || a.most):
		return false
	}
	return a.does.To != "" || a.does.Set != 0
}

// sayAltered answers both.
func sayAltered(head string) func(*Conn) {
	return func(c *Conn) {
		a := c.session.Listing.For.(*altering)
		if n := a.Altered.Done; n > 0 && c.loop.server.audit != nil {
			e := audit.Event{What: commands[c.verb].name, Tube: a.Tube, Detail: fmt.Sprintf("%d jobs", n)}
			if a.does.To != "" {
				e.Detail += " to " + a.does.To
			}
			c.tell(e)
		}
		if a.Status != queue.OK {
			c.loop.refuse(protocol.Failures[a.Status])
			c.session.Trim()
			return
		}
		cursor := ""
		if a.Next != (router.Place{}) {
			cursor = c.loop.server.router.Cursor(a.Tube, a.Next)
		}
		c.loop.out = protocol.AppendAltered(c.loop.out, head, a.Altered.Done, a.Altered.Full+a.Altered.Not, cursor)
		c.session.Trim()
	}
}
