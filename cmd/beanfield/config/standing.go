package config

import (
	"slices"
	"strings"

	"beanfield/conn"
	"beanfield/router/schedule"
	"beanfield/shard/queue/policy"
)

// Standing is which policies and schedules hold at a moment: those that somebody has set at run time, which are
// asked first, and those of the file. It never changes.
type Standing struct {
	List *conn.PolicyList

	config *Config
	set    *policySet
}

// stand has those of the file hold, and those of a set, if any.
func (c *Config) stand(set *policySet) *Standing { return &Standing{set.list(c), c, set} }

// NewStanding is what holds when nothing was set at run time.
func NewStanding(c *Config) *Standing { return c.stand(new(policySet)) }

// Under is the same with another file.
func (s *Standing) Under(c *Config) *Standing { return c.stand(s.set) }

// Kept has those hold that a text has which the shards have kept. What is not understood is left out, and
// in the problems of the list.
func (s *Standing) Kept(text string) *Standing { return s.config.stand(readKeptPolicies(text)) }

// With has those of a set hold instead of those before, and says in words what is different.
func (s *Standing) With(set *policySet) (after *Standing, changes string, ms Mistakes) {
	if ms := append(set.circles(s.config), set.clashes(s.set, s.config)...); len(ms) > 0 {
		return nil, "", ms
	}
	return s.config.stand(set), changesOf(s.set, set), nil
}

// PolicyFor returns the function that finds a tube's policy.
func (s *Standing) PolicyFor() func(string) *policy.Policy { return policiesOf(s.set.rules(s.config)) }

// Policy is the one of a tube, if it has one.
func (s *Standing) Policy(tube string) (conn.Policy, bool) {
	i := firstMatch(s.set.rules(s.config), tube)
	if i < 0 {
		return conn.Policy{}, false
	}
	return s.List.Policies[i], true
}

// plan is which schedules are put.
type plan struct {
	List   []schedule.Schedule // those that were set at run time come first
	Hidden []string            // names of those of the file that are not put
	Shown  string              // tells one plan from another
}

// Schedules are those of run time, and those of the file that have another name. Before there is
// anything, there are none.
func (s *Standing) Schedules() (p plan) {
	if s == nil {
		return p
	}
	file := slices.Clone(s.config.Schedules)
	file = slices.DeleteFunc(file, func(r ScheduleRule) bool {
		hidden := s.set.schedule(r.Name) != nil
		if hidden {
			p.Hidden = append(p.Hidden, r.Name)
		}
		return hidden
	})
	p.List = slices.Concat(schedules(s.set.schedules, conn.PolicyFromRunTime), schedules(file, conn.PolicyFromFile))
	p.Shown = shownAll(s.set.schedules, (*ScheduleRule).shown) + "\n" + shownAll(file, (*ScheduleRule).shown)
	return p
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
