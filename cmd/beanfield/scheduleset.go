package main

import (
	"fmt"
	"slices"

	"beanfield/router/schedule"
)

// Schedules that are set at run time are in the same text as the policies: they are read, kept,
// shown and replaced with these. Unlike policies, they do not stand before those of the file but beside them,
// so a text with a name that the file has is refused. If a reload brings the name to the file later,
// the schedule of run time goes on, as a policy of run time is asked before one of the file.

// schedule is the one of a name; nil if there is none.
func (s *policySet) schedule(name string) *ScheduleRule {
	i := slices.IndexFunc(s.schedules, func(r ScheduleRule) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &s.schedules[i]
}

// clashes are the mistakes that the file makes of schedules: names that it has, and bodies that are too
// large. What was set before may stay.
func (s *policySet) clashes(before *policySet, c *Config) (ms Mistakes) {
	for i := range c.Schedules {
		named := &c.Schedules[i].named
		if r := s.schedule(c.Schedules[i].Name); r != nil && before.schedule(r.Name) == nil {
			ms = append(ms, Mistake{File: policyText, Line: r.named.line, Key: scheduleKey + ".name", Value: quote(r.Name),
				Problem: fmt.Sprintf("%s has a schedule of this name, in line %d", named.file, named.line)})
		}
	}
	return append(ms, findBodies(s.schedules, c.Limits.MaxJobSize)...)
}

// understoodSchedule is the name of a [[schedule]]; "" if anything in it is not understood: other than of a
// policy, the rest of it might put jobs that nobody wants.
func understoodSchedule(table map[string]any) string {
	s := defaultScheduleRule()
	for name, v := range table {
		if row := findSetting(scheduleSettings, scheduleKey+"."+name); row == nil || row.set(&s, v) != nil {
			return ""
		}
	}
	zone, err := s.zone()
	if err == nil {
		_, err = schedule.NewCalendar(s.Cron, zone)
	}
	if err != nil || s.Tube == "" || s.BodyFile != "" {
		return ""
	}
	return s.Name
}

// named is a policy or a schedule: by what people call it, and as text.
type named struct{ name, shown string }

// named are the policies and the schedules of a set.
func (s *policySet) named() (all []named) {
	for i := range s.tubes {
		all = append(all, named{s.tubes[i].Match, fmt.Sprint(s.tubes[i].shown())})
	}
	for i := range s.schedules {
		all = append(all, named{scheduleKey + " " + s.schedules[i].Name, showSchedules(s.schedules[i : i+1])})
	}
	return all
}
