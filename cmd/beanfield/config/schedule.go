package config

import (
	"errors"
	"fmt"
	"os"
	"time"
	_ "time/tzdata" // for machines without the data of zones

	"github.com/BurntSushi/toml"

	"beanfield/router/schedule"
)

// ScheduleRule is a [[schedule]]: jobs that are put by the clock.
type ScheduleRule struct {
	schedule.Schedule
	Text, BodyFile string // of its body; only one is set

	named Origin
	from  Origin // of its body
}

// zone finds the time zone. "Local" would be another one at another machine.
func (s *ScheduleRule) zone() (*time.Location, error) {
	if s.Rule.Zone == "" || s.Rule.Zone == "Local" {
		return time.UTC, errors.New("not a name of a time zone")
	}
	z, err := time.LoadLocation(s.Rule.Zone)
	if err != nil {
		return time.UTC, errors.New("no such time zone")
	}
	return z, nil
}

// findBodies reads the bodies of scheduled jobs, and finds those that are too large.
func findBodies(list []ScheduleRule, most int64) (ms Mistakes) {
	for i := range list {
		s := &list[i]
		s.Body = []byte(s.Text)
		m := Mistake{Origin: s.from, Key: "schedule.body", Value: shown(s.Text)}
		if s.BodyFile != "" {
			m.Key, m.Value = "schedule.body_file", quote(s.BodyFile)
			var err error
			if s.Body, err = readBody(s.BodyFile, most); err != nil {
				m.Problem = err.Error()
				ms = append(ms, m)
				continue
			}
		}
		if int64(len(s.Body)) > most {
			m.Problem = tooLarge(most).Error()
			ms = append(ms, m)
		}
	}
	return ms
}

func tooLarge(most int64) error {
	return fmt.Errorf("larger than limits.max_job_size, %s", showSize(most))
}

// readBody reads a file, but no more than shows that it is too large.
func readBody(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a file")
	case info.Size() > most:
		return nil, tooLarge(most)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return b, nil
}

// schedules returns rules in the form that package schedule takes.
func schedules(rules []ScheduleRule, from string) []schedule.Schedule {
	list := make([]schedule.Schedule, len(rules))
	for i := range list {
		list[i] = rules[i].Schedule
		list[i].From = from
	}
	return list
}

// shown is a schedule with its body. It is compared, and not logged.
func (s *ScheduleRule) shown() string {
	return fmt.Sprintf("%s %q", inOneLine(rowsOf(scheduleKey, s)), s.Body)
}

const scheduleKey = "schedule"

// schedules reads the array of schedules.
func (r *fileReader) schedules(key toml.Key, v any) {
	seen := map[string]int{}
	r.config.Schedules, _ = elements(r, key, v, "tables", fresh[ScheduleRule](scheduleKey),
		func(e *element, s *ScheduleRule) {
			e.scheduled(s)
			s.named = e.origin("name")
			if len(e.bad) == 0 && s.Name != "" {
				e.once(seen, "name", s.Name, "the same name as in line %d")
			}
		})
}

// scheduled makes the calendar of a schedule, and notes what cannot be meant.
func (e *element) scheduled(s *ScheduleRule) {
	zone, err := s.zone()
	if err != nil {
		e.wrong("zone", err.Error(), find(e.rows, "schedule.zone").allowed)
	}
	if text, ok := e.table["cron"].(string); ok {
		if s.Rule.Calendar, err = schedule.NewCalendar(text, zone); err != nil {
			e.wrong("cron", err.Error(), find(e.rows, "schedule.cron").allowed)
		}
	}
	body := "body"
	if s.BodyFile != "" {
		body = "body_file"
	}
	s.from = e.origin(body)
	switch {
	case s.BodyFile != "" && e.atRunTime:
		e.wrong(body, "not at run time, because after a restart the file may be another one: give the body itself", "")
	case s.BodyFile != "" && s.Text != "":
		e.wrong(body, "there is a body, too", "")
	}
}
