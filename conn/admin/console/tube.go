package console

import (
	"net/http"
	"time"

	"beanfield/conn"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// tubeAnswer is one tube.
type tubeAnswer struct {
	At      int64                 `json:"at"`
	Tube    *figures              `json:"tube"` // nil if the client may not see them
	Rated   bool                  `json:"rated"`
	Can     []string              `json:"can"`
	Shard   int                   `json:"shard"`
	Pause   int64                 `json:"pause"` // its whole length in seconds; 0: not paused
	Next    map[string]*jobAnswer `json:"next"`  // by state, the job that is the next to leave it
	Service *serviceInfo          `json:"service,omitempty"`
	Limits  limitsInfo            `json:"limits"`
	Policy  *conn.Policy          `json:"policy,omitempty"`
	Did     []counterInfo         `json:"did,omitempty"` // by the policy
}

// counterInfo is how often a policy has done something.
type counterInfo struct {
	Action string `json:"action"`
	Count  uint64 `json:"count"`
}

func showCounters(counters *policy.Counters) (list []counterInfo) {
	if counters == nil {
		return nil
	}
	for d, n := range counters {
		list = append(list, counterInfo{policy.Action(d).String(), n})
	}
	return list
}

// serviceInfo is what the queue service knows of a tube.
type serviceInfo struct {
	Length         int            `json:"length"`
	Rear           int            `json:"rear"`
	Ended          bool           `json:"ended"`
	GroupsTotal    int            `json:"groupsTotal"`
	ConsumersTotal int            `json:"consumersTotal"`
	Groups         []groupInfo    `json:"groups"`
	Consumers      []consumerInfo `json:"consumers"`
}

type groupInfo struct {
	Group     string `json:"name"`
	Index     uint64 `json:"index"`
	Pending   int    `json:"pending"`
	Delivered uint64 `json:"delivered"`
	Consumers int    `json:"consumers"`
}

type consumerInfo struct {
	Group   string  `json:"group"`
	User    string  `json:"user"`
	Status  string  `json:"status"`
	Pending int     `json:"pending"`
	Window  int     `json:"window"`
	Slots   int     `json:"slots"`
	Index   uint64  `json:"index"`
	Auto    bool    `json:"auto"`
	Idle    float64 `json:"idle"` // seconds
}

// limitsInfo are the policies of the queue service for a tube. 0 is no limit.
type limitsInfo struct {
	MaxLength   int     `json:"maxLength"`
	MaxPayload  int     `json:"maxPayload"`
	MaxDelivery int     `json:"maxDelivery"`
	MaxIdle     float64 `json:"maxIdle"` // seconds
	Leaving     float64 `json:"leaving"`
	DeadLetter  string  `json:"deadLetter"`
	AutoEvict   bool    `json:"autoEvict"`
}

var fates = map[policy.Fate]string{policy.FateRear: "rear", policy.FateDrop: "drop", policy.FateBury: "bury"}

// tube answers with what a client may see of a tube. Without stats, the answer says what the
// client may do, whether there is such a tube or not.
func (c *Console) tube(r *http.Request) (any, error) {
	name, may := r.URL.Query().Get("name"), c.opts.May(r)
	if !may.Subject.Sees(name) {
		return nil, failureOf(queue.NotFound, noTube)
	}
	a := &tubeAnswer{
		At: time.Now().UnixMilli(), Can: may.can(may.Subject.May(name)), Shard: c.router.TubeShard([]byte(name)),
		Next: map[string]*jobAnswer{}, Limits: showLimits(c.opts.LimitsFor(name)),
	}
	s := newClient(c.router)
	if reads(may.Subject, name) {
		if err := c.figuresOf(r, s, name, a); err != nil {
			return nil, err
		}
		a.Policy = c.policyOf(name, may.Subject)
	}
	if !peeks(may.Subject, name) {
		return a, nil
	}
	for word, st := range states {
		list, ok := c.router.Heads(r.Context(), name, st, 1)
		if !ok {
			return nil, busy
		}
		var one jobsAnswer
		s.gather(&one, list, 1)
		if may.mark(&one); len(one.Jobs) > 0 {
			a.Next[word] = &one.Jobs[0]
		}
	}
	return a, nil
}

// figuresOf adds the figures of a tube to an answer.
func (c *Console) figuresOf(r *http.Request, s *client, name string, a *tubeAnswer) error {
	info, err := s.stats(name)
	if err != nil {
		return err
	}
	row := tubeRow{TubeFigures: queue.TubeFigures{TubeInfo: info}}
	if all, err := c.census.take(r.Context()); err == nil {
		a.Rated = all.base != nil
		if i := all.find(name); i >= 0 {
			row.puts, row.deletes = all.tubes[i].puts, all.tubes[i].deletes
			row.Queue = all.tubes[i].Queue
			a.Did = showCounters(all.tubes[i].Counters)
			row.Groups, row.Consumers, row.Pending = all.tubes[i].Groups, all.tubes[i].Consumers, all.tubes[i].Pending
		}
	}
	f := row.figures()
	if a.Tube, a.Pause = &f, info.Pause; row.Queue {
		a.Service = c.service(name)
	}
	return nil
}

// service asks what the queue service knows.
func (c *Console) service(name string) *serviceInfo {
	op := &queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskAttrs, Queue: name,
		Limits: c.opts.LimitsFor(name)}}
	c.router.Ask(op)
	x := op.Ask.Attrs
	if op.Status != queue.OK || x == nil {
		return nil
	}
	i := &serviceInfo{
		Length: x.Length, Rear: x.Rear, Ended: x.Ended, GroupsTotal: x.GroupsTotal, ConsumersTotal: x.ConsumersTotal,
		Groups: []groupInfo{}, Consumers: []consumerInfo{},
	}
	for _, g := range x.Groups {
		i.Groups = append(i.Groups, groupInfo(g))
	}
	for _, k := range x.Consumers {
		i.Consumers = append(i.Consumers, consumerInfo{
			k.Group, k.User, k.Status, k.Pending, k.Window, k.Slots, k.Index, k.AutoCommit,
			time.Duration(k.Idle).Seconds(),
		})
	}
	return i
}

func showLimits(l *policy.Limits) limitsInfo {
	return limitsInfo{
		MaxLength: l.MaxLength, MaxPayload: l.MaxPayload, MaxDelivery: l.MaxDelivery,
		MaxIdle: time.Duration(l.MaxIdle).Seconds(),
		Leaving: time.Duration(l.Leaving).Seconds(), DeadLetter: fates[l.DeadLetter], AutoEvict: l.AutoEvict,
	}
}
