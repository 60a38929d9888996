package beanstalk

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"

	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// list-jobs, move-jobs and change-jobs choose jobs in the same way, and then show them or do something to them.

// Bounds of these commands: how many jobs if the line does not say it, and at most; and bytes of each body.
const (
	listUsual  = 100
	listMost   = 1000
	listBodies = 4096
	alterUsual = 1000
	alterMost  = 10_000
)

// choice is what a connection is doing with the jobs that a command chooses.
type choice struct {
	router.Listing
	cursor  []byte
	limited bool // the line says how many
	ids     []uint64
	does    queue.Altering
	// The loops of those who hold some of the jobs say where they are.
	asked []map[*Conn]string
	left  atomic.Int32 // loops that have not said it yet
}

type option = protocol.Option[choice]

func filterOf(l *choice) *queue.Filter { return &l.Filter }

func limitOption(most uint64) option {
	return protocol.NumberOption("limit", protocol.Bounds{Least: 1, Most: most},
		func(l *choice, n uint64) { l.Most, l.limited = int(n), true })
}

func setCursor(l *choice, _, value []byte) bool {
	l.cursor = value
	return len(value) > 0
}

func addIDs(l *choice, _, value []byte) bool {
	for word := range bytes.SplitSeq(value, []byte(",")) {
		id, ok := protocol.Number(word, 1<<64-1)
		if !ok {
			return false
		}
		l.ids = append(l.ids, id)
	}
	return true
}

var (
	listOptions = append(protocol.FilterOptions(filterOf), limitOption(listMost),
		protocol.NumberOption("bodies", protocol.Bounds{Most: listBodies}, func(l *choice, n uint64) { l.Bodies = int(n) }),
		option{Name: "cursor", Set: setCursor})

	alterOptions = append(protocol.ChoiceOptions(filterOf), limitOption(alterMost), option{Name: "cursor", Set: setCursor},
		option{Name: "ids", Set: addIDs})

	moveOptions = append(slices.Clip(alterOptions), option{Name: "as", Set: func(l *choice, _, value []byte) bool {
		for _, st := range []queue.JobState{queue.Ready, queue.Buried} {
			if string(value) == st.String() {
				l.does.As = st
			}
		}
		return l.does.As != 0
	}})

	changeOptions = append(slices.Clip(alterOptions),
		protocol.NumberOption("pri", protocol.AnyNumber, func(l *choice, n uint64) {
			l.does.Pri = uint32(n)
			l.does.Set |= queue.FieldPri
		}),
		protocol.TimeOption("delay", protocol.AnyTime, func(l *choice, ns int64) {
			l.does.Delay = ns
			l.does.Set |= queue.FieldDelay
		}),
		protocol.TimeOption("ttr", protocol.SomeTime, func(l *choice, ns int64) {
			l.does.TTR = ns
			l.does.Set |= queue.FieldTTR
		}))
)

// listJobs begins a list of jobs.
func (c *Conn) listJobs(cmd *protocol.Command) {
	l := &choice{Listing: router.Listing{Most: listUsual}}
	if !c.choose(cmd, l, listOptions) {
		return
	}
	if c.guard != nil {
		l.Authorizer = c.guard.authorizer
	}
	c.finish(callSession, c.session.List(&l.Listing))
}

// alterJobs begins to move jobs to another tube, or to change them. Who may not put into the other tube is told what he
// is told of tubes that do not exist.
func (c *Conn) alterJobs(cmd *protocol.Command) {
	l := &choice{Listing: router.Listing{Most: alterUsual}}
	l.Alter, l.Tube = &l.does, string(cmd.Name)
	options := changeOptions
	if l.does.To = string(cmd.Onto); l.does.To != "" {
		options = moveOptions
		if c.guard != nil && !c.guard.subject.May(l.does.To).Has(access.Put) {
			c.noteDenied(cmd.Verb, l.does.To, 0, slow.Right, nil)
			c.loop.refuse(protocol.NotFound)
			return
		}
	}
	if c.choose(cmd, l, options) {
		c.finish(callSession, c.session.Alter(&l.Listing, l.ids))
	}
}

// choose reads the options of a line. It reports false if it has refused them.
func (c *Conn) choose(cmd *protocol.Command, l *choice, options []option) bool {
	ok := protocol.Read(cmd.Options, options, l) && (l.Alter == nil || l.complete())
	if ok && l.cursor != nil {
		l.From, ok = c.loop.server.router.PlaceOf(l.Tube, l.cursor)
		l.cursor = nil // borrowed from the line
	}
	if l.For = l; !ok {
		c.refuse(protocol.BadFormat, slow.Option, nil)
	}
	return ok
}

// complete says whether what the line says goes together, and fills in what it leaves out.
func (l *choice) complete() bool {
	f, delays := &l.Filter, l.does.Set&queue.FieldDelay != 0
	if f.States == 0 {
		f.States = f.States.With(queue.Ready).With(queue.Delayed)
		if !delays {
			f.States = f.States.With(queue.Buried)
		}
	}
	switch {
	case f.States.Has(queue.Reserved), delays && f.States.Has(queue.Buried), l.does.To == l.Tube,
		l.does.To == "" && l.does.Set == 0:
		return false
	}
	return l.ids == nil || len(f.Body) == 0 && l.cursor == nil && !l.limited
}

// chosen is what has become of the choice; nil if it has failed, and that is answered.
func (c *Conn) chosen() *choice {
	l := c.session.Listing.For.(*choice)
	if l.Status == queue.OK {
		return l
	}
	if l.Status == queue.Denied {
		c.noteDenied(c.verb, l.Tube, 0, slow.Right, lineOf(c.verb, l.Tube, 0))
	}
	c.loop.refuse(protocol.Failures[l.Status])
	c.session.Trim()
	return nil
}

// goesOn is the cursor for the next part; "" after the last.
func (l *choice) goesOn(r *router.Router) string {
	if l.Next == (router.Place{}) {
		return ""
	}
	return r.Cursor(l.Tube, l.Next)
}

// sayAltered answers move-jobs and change-jobs. What was done is told to the audit log, also if it failed later.
func (c *Conn) sayAltered() {
	l := c.session.Listing.For.(*choice)
	if n := l.Altered.Done; n > 0 && c.loop.server.audit != nil {
		e := audit.Event{What: commands[c.verb].name, Tube: l.Tube, Detail: fmt.Sprintf("%d jobs", n)}
		if l.does.To != "" {
			e.Detail += " to " + l.does.To
		}
		c.tell(e)
	}
	if c.chosen() == nil {
		return
	}
	c.loop.Out = protocol.AppendAltered(c.loop.Out, commands[c.verb].head, l.Altered.Done, l.Altered.Full+l.Altered.Not,
		l.goesOn(c.loop.server.router))
	c.session.Trim()
}

// sayJobs has the list. Where its jobs are held is to be found out before it is said.
func (c *Conn) sayJobs() {
	l := c.chosen()
	if l == nil {
		return
	}
	if c.guard == nil || c.guard.subject.Everywhere().Has(access.Admin) {
		c.findHolders(l)
	}
	c.sayListed()
}

// findHolders asks the loops of those who hold jobs of the list where they are.
func (c *Conn) findHolders(l *choice) {
	asked := map[*loop]map[*Conn]string{}
	for i := range l.Jobs {
		if holder, _ := router.OwnerOf(l.Jobs[i].Holder).(*Conn); holder != nil {
			if asked[holder.loop] == nil {
				asked[holder.loop] = map[*Conn]string{}
			}
			asked[holder.loop][holder] = ""
		}
	}
	l.left.Store(int32(len(asked)))
	for at, where := range asked {
		l.asked = append(l.asked, where)
		at.Ask(func() {
			for holder := range where {
				if !holder.Closed() {
					where[holder] = holder.Peer().String()
				}
			}
			if l.left.Add(-1) == 0 {
				c.Notify()
			}
		})
	}
}

// sayListed says the list, if all loops have said where its holders are.
func (c *Conn) sayListed() {
	l := c.session.Listing.For.(*choice)
	if l.left.Load() > 0 {
		c.await(callHolders)
		return
	}
	if c.guard != nil {
		for i := range l.Jobs {
			l.Jobs[i].Been = slices.DeleteFunc(l.Jobs[i].Been, func(t queue.Trace) bool {
				return !c.guard.subject.Sees(t.From)
			})
		}
	}
	cursor := l.goesOn(c.loop.server.router)
	c.loop.Out = protocol.AppendListed(c.loop.Out, l.Jobs, cursor, l.Bodies > 0, func(k *queue.Listed) string {
		if holder, ok := router.OwnerOf(k.Holder).(*Conn); ok {
			for _, where := range l.asked {
				if peer := where[holder]; peer != "" {
					return peer
				}
			}
		}
		return ""
	})
	c.session.Trim()
}
