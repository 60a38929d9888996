package main

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"beanfield/conn"
	"beanfield/router"
	"beanfield/router/schedule"
	"beanfield/shard/queue"
)

// policies are those that hold: those that somebody has set at run time, which are asked first, and
// those of the file. The former are kept in the log of the shards, beside the jobs. Schedules are with them.
type policies struct {
	log *slog.Logger
	now atomic.Pointer[standing]

	mu        sync.Mutex       // of those who change something
	router    *router.Router   // nil while this process has no shards
	schedules *schedule.Keeper // nil while nobody serves
	over      <-chan struct{}  // closed when the schedules before the last change have put their last job; or nil
}

// standing is what holds at a moment. It never changes.
type standing struct {
	config *Config
	set    *policySet
	list   *conn.PolicyList
}

// of is the function that finds a tube's policy.
func (s *standing) of() func(string) *queue.Policy { return policiesOf(s.set.rules(s.config)) }

// hold puts policies into effect. Only one goroutine at a time may call it.
func (p *policies) hold(set *policySet, c *Config) *standing {
	s := &standing{config: c, set: set, list: set.list(c)}
	before := p.now.Swap(s)
	if p.router != nil {
		p.router.SetPolicies(s.of())
	}
	p.holdSchedules(before, s)
	return s
}

// holdSchedules puts schedules into effect, and says which ones of the file are not put, when that begins.
func (p *policies) holdSchedules(before, now *standing) {
	was, is := before.allSchedules(), now.allSchedules()
	for _, name := range is.hidden {
		if !slices.Contains(was.hidden, name) {
			p.log.Warn("a schedule of the file is not put: one that was set at run time has its name", "schedule", name)
		}
	}
	if p.schedules != nil && was.shown != is.shown {
		p.over = p.schedules.Set(is.list)
	}
}

// serve has a keeper put the jobs of the schedules, until the end of the term.
func (p *policies) serve(k *schedule.Keeper) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.schedules = k
	k.Set(p.now.Load().allSchedules().list)
}

// use makes the policies of c those of the file. Those that were set at run time stay.
func (p *policies) use(c *Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set := new(policySet)
	if s := p.now.Load(); s != nil {
		set = s.set
	}
	p.hold(set, c)
}

// begin has those hold that the shards of a term have kept.
func (p *policies) begin(r *router.Router) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.router = r
	set := readKeptPolicies(r.KeptPolicies())
	for _, problem := range set.problems {
		p.log.Warn("a policy that was set at run time is not understood, and left out", "problem", problem)
	}
	p.hold(set, p.now.Load().config)
}

// end is the end of a term.
func (p *policies) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.router, p.schedules = nil, nil
	p.hold(new(policySet), p.now.Load().config)
}

// conn is what front ends may do.
func (p *policies) conn() *conn.Policies {
	return &conn.Policies{Show: func() *conn.PolicyList { return p.now.Load().list }, For: p.forTube, Set: p.set}
}

func (p *policies) forTube(tube string) (conn.Policy, bool) {
	s := p.now.Load()
	i := firstMatch(s.set.rules(s.config), tube)
	if i < 0 {
		return conn.Policy{}, false
	}
	return s.list.Policies[i], true
}

// Why policies were not changed.
var (
	errNotServing     = errors.New("this node does not serve now")
	errPoliciesNoRoom = errors.New("the disk has no room for it: nothing has changed")
	errPoliciesLost   = errors.New("the log has failed: whether the change is there after a restart is unknown")
)

func (p *policies) set(text, version string) (done conn.PolicyChange, err error) {
	set, ms := readPolicySet(text)
	if len(ms) > 0 {
		return done, ms
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.now.Load()
	switch {
	case p.router == nil:
		return done, errNotServing
	case version != "" && version != before.list.Version:
		return done, conn.ErrPoliciesChanged
	}
	if ms := append(set.circles(before.config), set.clashes(before.set, before.config)...); len(ms) > 0 {
		return done, ms
	}
	switch status := p.router.KeepPolicies(text); status {
	case queue.OK:
	case queue.NoRoom:
		return done, errPoliciesNoRoom
	default:
		return done, errPoliciesLost
	}
	after := p.hold(set, before.config)
	if p.over != nil {
		<-p.over // a schedule that is removed has stopped when that is answered
	}
	return conn.PolicyChange{List: after.list, Changes: changesOf(before.set, set)}, nil
}

// changesOf says in words how sets differ.
func changesOf(before, after *policySet) string {
	was, is := before.named(), after.named()
	text := map[string]string{}
	for _, e := range was {
		text[e.name] = e.shown
	}
	var set, removed []string
	for _, e := range is {
		if old, ok := text[e.name]; !ok || old != e.shown {
			set = append(set, e.name)
		}
		delete(text, e.name)
	}
	for _, e := range was {
		if _, gone := text[e.name]; gone {
			removed = append(removed, e.name)
		}
	}
	var parts []string
	if len(set) > 0 {
		parts = append(parts, "set "+strings.Join(set, ", "))
	}
	if len(removed) > 0 {
		parts = append(parts, "removed "+strings.Join(removed, ", "))
	}
	if len(parts) == 0 {
		return "nothing is different"
	}
	return strings.Join(parts, "; ")
}
