package main

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"beanfield/cmd/beanfield/config"
	"beanfield/conn"
	"beanfield/router"
	"beanfield/router/schedule"
	"beanfield/shard/queue"
)

// policies are those that hold: those that somebody has set at run time, which are asked first, and
// those of the file. The former are kept in the log of the shards, beside the jobs. Schedules are with them.
type policies struct {
	log *slog.Logger
	now atomic.Pointer[config.Standing]

	mu        sync.Mutex       // of those who change something
	router    *router.Router   // nil while this process has no shards
	schedules *schedule.Keeper // nil while nobody serves
	over      <-chan struct{}  // closed when the schedules before the last change have put their last job; or nil
}

// hold puts policies into effect. Only one goroutine at a time may call it.
func (p *policies) hold(s *config.Standing) {
	before := p.now.Swap(s)
	if p.router != nil {
		p.router.SetPolicies(s.PolicyFor())
	}
	was, is := before.Schedules(), s.Schedules()
	for _, name := range is.Hidden {
		if !slices.Contains(was.Hidden, name) {
			p.log.Warn("a schedule of the file is not put: one that was set at run time has its name", "schedule", name)
		}
	}
	if p.schedules != nil && was.Shown != is.Shown {
		p.over = p.schedules.Set(is.List)
	}
}

// serve has a keeper put the jobs of the schedules, until the end of the term.
func (p *policies) serve(k *schedule.Keeper) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.schedules = k
	k.Set(p.now.Load().Schedules().List)
}

// use makes the policies of c those of the file. Those that were set at run time stay.
func (p *policies) use(c *config.Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.now.Load(); s != nil {
		p.hold(s.Under(c))
	} else {
		p.hold(config.NewStanding(c))
	}
}

// begin has those hold that the shards of a term have kept.
func (p *policies) begin(r *router.Router) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.router = r
	s := p.now.Load().Kept(r.KeptPolicies())
	for _, problem := range s.List.Problems {
		p.log.Warn("a policy that was set at run time is not understood, and left out", "problem", problem)
	}
	p.hold(s)
}

// end is the end of a term.
func (p *policies) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.router, p.schedules = nil, nil
	p.hold(p.now.Load().Kept(""))
}

// conn is what front ends may do.
func (p *policies) conn() *conn.Policies {
	return &conn.Policies{
		Show: func() *conn.PolicyList { return p.now.Load().List },
		For:  func(tube string) (conn.Policy, bool) { return p.now.Load().Policy(tube) },
		Set:  p.set,
	}
}

func (p *policies) set(text, version string) (done conn.PolicyChange, err error) {
	set, ms := config.ReadPolicies(text)
	if len(ms) > 0 {
		return done, ms
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.now.Load()
	switch {
	case p.router == nil:
		return done, errors.New("this node does not serve now")
	case version != "" && version != before.List.Version:
		return done, conn.ErrPoliciesChanged
	}
	after, changes, ms := before.With(set)
	if len(ms) > 0 {
		return done, ms
	}
	switch status := p.router.KeepPolicies(text); status {
	case queue.OK:
	case queue.NoRoom:
		return done, errors.New("the disk has no room for it: nothing has changed")
	default:
		return done, errors.New("the log has failed: whether the change is there after a restart is unknown")
	}
	p.hold(after)
	if p.over != nil {
		<-p.over // a schedule that is removed has stopped when that is answered
	}
	return conn.PolicyChange{List: after.List, Changes: changes}, nil
}
