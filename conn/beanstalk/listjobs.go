package beanstalk

import (
	"slices"
	"sync/atomic"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// Bounds of list-jobs.
const (
	listUsual  = 100  // jobs, if the line does not say how many
	listMost   = 1000 // jobs
	listBodies = 4096 // bytes of each body
)

// jobList is a list of jobs that a connection is making.
type jobList struct {
	router.Listing
	cursor []byte
	// The loops of those who hold some of the jobs say where they are.
	asked []*part
	left  atomic.Int32 // loops that have not said it yet
}

// listOptions are the options of list-jobs.
var listOptions = append(protocol.FilterOptions(func(l *jobList) *queue.Filter { return &l.Filter }),
	protocol.NumberOption("limit", protocol.Bounds{Least: 1, Most: listMost}, func(l *jobList, n uint64) {
		l.Most = int(n)
	}),
	protocol.NumberOption("bodies", protocol.Bounds{Most: listBodies}, func(l *jobList, n uint64) {
		l.Bodies = int(n)
	}),
	protocol.Option[jobList]{Name: "cursor", Set: func(l *jobList, _, value []byte) bool {
		l.cursor = value
		return len(value) > 0
	}},
)

// listJobs begins a list of jobs.
func (c *Conn) listJobs(cmd *protocol.Command) bool {
	l := &jobList{Listing: router.Listing{Most: listUsual}}
	ok := protocol.Read(cmd.Options, listOptions, l)
	if ok && l.cursor != nil {
		l.From, ok = c.loop.server.router.PlaceOf(l.Tube, l.cursor)
		l.cursor = nil // borrowed from the line
	}
	if !ok {
		c.refuse(protocol.BadFormat, slow.Option, nil)
		return true
	}
	if c.guard != nil {
		l.Authorizer = c.guard.authorizer
	}
	l.For = l
	c.finish(callSession, c.session.List(&l.Listing))
	return true
}

// sayJobs has the list. Where its jobs are held is to be found out before it is said.
func (c *Conn) sayJobs() {
	l := c.session.Listing.For.(*jobList)
	if l.Status != queue.OK {
		if l.Status == queue.Denied {
			c.noteDenied(c.verb, l.Tube, 0, slow.Right, lineOf(c.verb, l.Tube, 0))
		}
		c.loop.refuse(protocol.Failures[l.Status])
		c.session.Trim()
		return
	}
	if c.guard == nil || c.guard.subject.Everywhere().Has(access.Admin) {
		c.findHolders(l)
	}
	c.sayListed()
}

// findHolders asks the loops of those who hold jobs of the list where they are.
func (c *Conn) findHolders(l *jobList) {
	asked := map[*loop]*part{}
	for i := range l.Jobs {
		holder, _ := router.OwnerOf(l.Jobs[i].Holder).(*Conn)
		if holder == nil {
			continue
		}
		p := asked[holder.loop]
		if p == nil {
			p = &part{of: map[*Conn]string{}, tell: func() {
				if l.left.Add(-1) == 0 {
					c.Notify()
				}
			}}
			asked[holder.loop] = p
			l.asked = append(l.asked, p)
		}
		p.of[holder] = ""
	}
	l.left.Store(int32(len(l.asked)))
	for at, p := range asked {
		at.ask(p)
	}
}

// sayListed says the list, if all loops have said where its holders are.
func (c *Conn) sayListed() {
	l := c.session.Listing.For.(*jobList)
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
	cursor := ""
	if l.Next != (router.Place{}) {
		cursor = c.loop.server.router.Cursor(l.Tube, l.Next)
	}
	c.loop.out = protocol.AppendListed(c.loop.out, l.Jobs, cursor, l.Bodies > 0, func(k *queue.Listed) string {
		if holder, ok := router.OwnerOf(k.Holder).(*Conn); ok {
			for _, p := range l.asked {
				if peer := p.of[holder]; peer != "" {
					return peer
				}
			}
		}
		return ""
	})
	c.session.Trim()
}
