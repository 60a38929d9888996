package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // for machines without the data of zones

	"beanfield/router/schedule"
	"beanfield/shard/queue"

	"github.com/BurntSushi/toml"
)

// ScheduleRule is a [[schedule]]: jobs that are put by the clock.
type ScheduleRule struct {
	Name, Cron, Zone, Tube string
	Body, BodyFile         string // of which only one is set
	Pri                    int
	Delay, TTR             time.Duration // whole seconds
	Missed                 string

	calendar *schedule.Calendar
	body     []byte
	named    Origin
	from     Origin // of its body
}

// The words of schedule.missed.
var missedTicks = map[string]schedule.Missed{"skip": schedule.Skip, "once": schedule.Once, "all": schedule.All}

const (
	maxPri   = 1<<32 - 1
	longest  = (1<<32 - 1) * time.Second
	usualPri = 1024
	usualTTR = time.Minute
	utc      = "UTC"
)

func defaultScheduleRule() ScheduleRule {
	return ScheduleRule{Zone: utc, Pri: usualPri, TTR: usualTTR, Missed: "skip"}
}

// scheduleSettings are the keys of each [[schedule]].
var scheduleSettings = allLive([]setting[ScheduleRule]{
	row("schedule.name", "", "name", "a name as tubes have, which no other schedule has", func(s *ScheduleRule) *string { return &s.Name }, asTube, quote),
	text("schedule.cron", "", "expression", `5 or 6 fields as of crontab(5), or "@hourly", "@daily", "@weekly", "@monthly", "@yearly"`,
		func(s *ScheduleRule) *string { return &s.Cron }),
	text("schedule.zone", "", "time zone", `a name such as "Europe/Berlin", or "UTC"`, func(s *ScheduleRule) *string { return &s.Zone }),
	row("schedule.tube", "", "name of a tube", "a tube's name", func(s *ScheduleRule) *string { return &s.Tube }, asTube, quote),
	text("schedule.body", "", "text", "any text of at most limits.max_job_size", func(s *ScheduleRule) *string { return &s.Body }),
	text("schedule.body_file", "", "file", `a file's path, or "" if there is none`, func(s *ScheduleRule) *string { return &s.BodyFile }),
	number("schedule.pri", "", "priority", maxPri, func(s *ScheduleRule) *int { return &s.Pri }),
	seconds("schedule.delay", 0, func(s *ScheduleRule) *time.Duration { return &s.Delay }),
	seconds("schedule.ttr", time.Second, func(s *ScheduleRule) *time.Duration { return &s.TTR }),
	oneOf("schedule.missed", "", []string{"skip", "once", "all"}, func(s *ScheduleRule) *string { return &s.Missed }),
})

// seconds is a time in whole seconds.
func seconds[T any](key string, lo time.Duration, field func(*T) *time.Duration) setting[T] {
	allowed := fmt.Sprintf("whole seconds with a unit, from %s to %s", showTime(lo), showTime(longest))
	return row(key, "", "time", allowed, field, func(v any) (time.Duration, error) {
		d, err := asTime(v, lo, longest)
		if err == nil && d%time.Second != 0 {
			err = errors.New("not whole seconds")
		}
		return d, err
	}, showTime)
}

func asTube(v any) (string, error) {
	s, err := asText(v)
	if err == nil && !queue.ValidName([]byte(s)) {
		err = errors.New("not a name that a tube can have")
	}
	return s, err
}

// zone finds the time zone. "Local" would be another one at another machine.
func (s *ScheduleRule) zone() (*time.Location, error) {
	if s.Zone == "" || s.Zone == "Local" {
		return time.UTC, errors.New("not a name of a time zone")
	}
	z, err := time.LoadLocation(s.Zone)
	if err != nil {
		return time.UTC, errors.New("no such time zone")
	}
	return z, nil
}

// findBodies reads the bodies of scheduled jobs, and finds those that are too large.
func findBodies(list []ScheduleRule, most int64) (ms Mistakes) {
	for i := range list {
		s := &list[i]
		s.body = []byte(s.Body)
		m := Mistake{File: s.from.File, Line: s.from.Line, Key: "schedule.body", Value: shown(s.Body)}
		if s.BodyFile != "" {
			m.Key, m.Value = "schedule.body_file", quote(s.BodyFile)
			var err error
			if s.body, err = readBody(s.BodyFile, most); err != nil {
				m.Problem = err.Error()
				ms = append(ms, m)
				continue
			}
		}
		if int64(len(s.body)) > most {
			m.Problem = fmt.Sprintf("larger than limits.max_job_size, %s", showSize(most))
			ms = append(ms, m)
		}
	}
	return ms
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
		return nil, fmt.Errorf("larger than limits.max_job_size, %s", showSize(most))
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
		s := &rules[i]
		list[i] = schedule.Schedule{
			Name: s.Name, Rule: schedule.Rule{Cron: s.Cron, Zone: s.Zone, Calendar: s.calendar}, Tube: s.Tube, Body: s.body,
			Pri: uint32(s.Pri), Delay: uint32(s.Delay / time.Second), TTR: uint32(s.TTR / time.Second), Missed: missedTicks[s.Missed], From: from,
		}
	}
	return list
}

// showSchedules shows all schedules with their bodies. They are compared, and not logged.
func showSchedules(list []ScheduleRule) string {
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, "%s %q\n", showElement(scheduleSettings, scheduleKey+".", &list[i]), list[i].body)
	}
	return b.String()
}

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
		s.named = Origin{File: r.path, Line: n}
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
	s.from = Origin{File: r.path, Line: line}
	switch {
	case s.BodyFile != "" && r.atRunTime:
		r.wrong(line, at, s.BodyFile, "not at run time, because after a restart the file may be another one: give the body itself", "")
	case s.BodyFile != "" && s.Body != "":
		r.wrong(line, at, s.BodyFile, "there is a body, too", "")
	}
}
