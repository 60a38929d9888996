package main

import (
	"fmt"

	"beanfield/router/schedule"

	"github.com/BurntSushi/toml"
)

const scheduleKey = "schedule"

// schedules reads the array of schedules.
func (r *fileReader) schedules(key toml.Key, v any) {
	tables, _ := r.array(key, v, "tables")
	seen := map[string]int{}
	for i, table := range tables {
		s := defaultScheduleRule()
		line := r.lines.element(key, i, len(tables))
		for _, name := range []string{"name", "cron", "tube"} {
			if _, ok := table[name]; !ok {
				at := scheduleKey + "." + name
				r.missing(line, at, "missing", findSetting(scheduleSettings, at).allowed)
			}
		}
		wrong := read(r, key, line, table, scheduleSettings, &s)
		r.scheduled(key, line, table, &s)
		at, n := r.scheduleKey(key, "name", line)
		s.named = origin{file: r.path, line: n}
		if len(wrong) == 0 && s.Name != "" {
			if first, twice := seen[s.Name]; twice {
				r.wrong(n, at, s.Name, fmt.Sprintf("the same name as in line %d", first), "")
			}
			seen[s.Name] = n
		}
		r.config.Schedules = append(r.config.Schedules, s)
	}
}

// scheduleKey is a key of a schedule, and its line.
func (r *fileReader) scheduleKey(path toml.Key, name string, from int) (toml.Key, int) {
	at := child(path, name)
	return at, r.lines.at(at, from)
}

// scheduled makes the calendar of a schedule, and notes what cannot be meant.
func (r *fileReader) scheduled(path toml.Key, from int, table map[string]any, s *ScheduleRule) {
	zone, err := s.zone()
	if err != nil {
		at, line := r.scheduleKey(path, "zone", from)
		r.wrong(line, at, s.Zone, err.Error(), findSetting(scheduleSettings, "schedule.zone").allowed)
	}
	if text, ok := table["cron"].(string); ok {
		if s.calendar, err = schedule.NewCalendar(text, zone); err != nil {
			at, line := r.scheduleKey(path, "cron", from)
			r.wrong(line, at, text, err.Error(), findSetting(scheduleSettings, "schedule.cron").allowed)
		}
	}
	body := "body"
	if s.BodyFile != "" {
		body = "body_file"
	}
	at, line := r.scheduleKey(path, body, from)
	s.from = origin{file: r.path, line: line}
	switch {
	case s.BodyFile != "" && r.atRunTime:
		r.wrong(line, at, s.BodyFile, "not at run time, because after a restart the file may be another one: give the body itself", "")
	case s.BodyFile != "" && s.Body != "":
		r.wrong(line, at, s.BodyFile, "there is a body, too", "")
	}
}
