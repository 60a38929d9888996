package main

import (
	"slices"

	"beanfield/conn"
	"beanfield/router/schedule"
)

// plan is which schedules are put.
type plan struct {
	list   []schedule.Schedule // those that were set at run time come first
	hidden []string            // names of those of the file that are not put
	shown  string              // tells one plan from another
}

// allSchedules are those of run time, and those of the file that have another name. Before there is
// anything, there are none.
func (s *standing) allSchedules() (p plan) {
	if s == nil {
		return p
	}
	file := slices.Clone(s.config.Schedules)
	file = slices.DeleteFunc(file, func(r ScheduleRule) bool {
		hidden := s.set.schedule(r.Name) != nil
		if hidden {
			p.hidden = append(p.hidden, r.Name)
		}
		return hidden
	})
	p.list = slices.Concat(schedules(s.set.schedules, conn.PolicyFromRunTime), schedules(file, conn.PolicyFromFile))
	p.shown = showSchedules(s.set.schedules) + "\n" + showSchedules(file)
	return p
}
