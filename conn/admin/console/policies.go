package console

import (
	"errors"
	"net/http"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
)

// policies shows the policies of all tubes, in the order in which they are asked.
func (c *Console) policies(r *http.Request) (any, error) {
	s := c.opts.May(r).Subject
	if !whole(s) {
		return nil, forbidden
	}
	list := c.opts.Policies.Show()
	if s.Everywhere()&(access.Peek|access.Admin) == 0 {
		list = list.WithoutBodies()
	}
	return list, nil
}

// setPolicies replaces those that were set at run time, and the schedules with them. A request without a text would
// take all of them away: it has been forgotten.
func (c *Console) setPolicies(a *action) error {
	if a.ask.Text == nil {
		return wrong("the text of the policies is missing")
	}
	done, err := c.opts.Policies.Set(*a.ask.Text, a.ask.Version)
	switch {
	case errors.Is(err, conn.ErrPoliciesChanged):
		return &problem{http.StatusConflict, err.Error()}
	case err != nil:
		return wrong(err.Error())
	}
	a.answer.Version, a.answer.Changes = done.List.Version, done.Changes
	return nil
}

// policyOf is the policy that holds for a tube, as a client sees it; nil if none does.
func (c *Console) policyOf(tube string, s *access.Subject) *conn.Policy {
	p, ok := c.opts.Policies.For(tube)
	if !ok {
		return nil
	}
	return new(p.For(s.Sees))
}

// scheduleInfo is a schedule, and how it is getting on.
type scheduleInfo struct {
	Name    string `json:"name"`
	Tube    string `json:"tube"`
	Cron    string `json:"cron"`
	Zone    string `json:"zone"`
	Last    int64  `json:"last"` // ticks, in milliseconds since 1970; 0 if there is none
	Next    int64  `json:"next"`
	Jobs    uint64 `json:"jobs"`
	Missed  uint64 `json:"missed"`
	Refused uint64 `json:"refused"`
	Refusal string `json:"refusal"` // why the last put was refused; "" if it was not
	From    string `json:"from"`    // as of a policy
}

// schedulesAnswer lists the schedules of tubes whose figures the client may see.
type schedulesAnswer struct {
	At        int64          `json:"at"`
	Schedules []scheduleInfo `json:"schedules"`
}

func (c *Console) schedules(r *http.Request) (any, error) {
	a, s := &schedulesAnswer{At: time.Now().UnixMilli(), Schedules: []scheduleInfo{}}, c.opts.May(r).Subject
	for _, k := range c.opts.Schedules() {
		if reads(s, k.Tube) {
			a.Schedules = append(a.Schedules, scheduleInfo{
				k.Name, k.Tube, k.Rule.Cron, k.Rule.Zone, milliseconds(k.Last), milliseconds(k.Next), k.Puts, k.Lost,
				k.Refused, k.Refusal, k.From,
			})
		}
	}
	return a, nil
}

func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
