package beanstalk

import (
	"strconv"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router/schedule"
)

// schedules lists the schedules of tubes whose statistics the client may see, and how they are getting
// on.
func (c *Conn) schedules(*protocol.Command) {
	c.loop.out = protocol.AppendYAML(c.loop.out, func(out []byte) []byte {
		list := c.loop.server.opts.Load().Schedules
		if list == nil {
			return out
		}
		for _, s := range list() {
			if c.guard == nil || c.guard.subject.May(s.Tube).Has(access.Stats) {
				out = appendSchedule(out, &s)
			}
		}
		return out
	})
}

// appendSchedule formats an item of the list, a map. Texts are quoted, because an expression may begin
// with what means something in YAML.
func appendSchedule(out []byte, s *schedule.Info) []byte {
	text := func(key, value string) { out = protocol.AppendRaw(out, "  "+key, strconv.Quote(value)) }
	number := func(key string, n uint64) { out = protocol.AppendUint(out, "  "+key, n) }
	out = protocol.AppendRaw(out, "- name", strconv.Quote(s.Name))
	text("tube", s.Tube)
	text("cron", s.Rule.Cron)
	text("zone", s.Rule.Zone)
	text("last-tick", tickTime(s.Last))
	text("next-tick", tickTime(s.Next))
	number("jobs", s.Puts)
	number("missed", s.Lost)
	number("refused", s.Refused)
	text("refusal", s.Refusal)
	text("from", s.From)
	return out
}

// tickTime is when a tick is; "" if there is none.
func tickTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
