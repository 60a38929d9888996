package main

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"beanfield/conn/access"
)

// reloader reads the configuration again at SIGHUP. It belongs to the goroutine that serves.
type reloader struct {
	flags   flags // they win over the file, as at the start
	running *Config
	change  func(*Config) (apply func(), err error) // makes ready what apply puts into effect
	log     *slog.Logger
}

// reloader makes the reloader of a daemon whose front ends change as change says.
func (d *daemon) reloader(change func(*Config) (func(), error)) reloader {
	return reloader{flags: d.flags, running: d.config, log: d.log, change: func(c *Config) (func(), error) {
		apply, err := change(c)
		return func() {
			d.level.Set(levelOf(c.Log.Level))
			d.garbage.replace(c.garbage())
			apply()
		}, err
	}}
}

// reload changes all settings that can change, or none if anything is wrong.
func (r *reloader) reload() {
	next, err := loadConfig(r.flags)
	if err != nil {
		r.refuse(err)
		return
	}
	if len(r.running.Access) > 0 && len(next.Access) == 0 && !next.Open {
		r.refuse(noRules) // an editor that was saving, or a file that was cut
		return
	}
	merged, changes := r.running.merge(next)
	apply, err := r.change(merged)
	if err != nil {
		r.refuse(err)
		return
	}
	apply()
	r.running = merged
	r.tell(changes)
}

// noRules refuses a file that would let everyone do everything without saying so.
var noRules = Mistakes{{Key: accessKey, Problem: "the file has no rules, and rules hold now",
	Allowed: "access = [] in the file, if everyone may do everything"}}

// refuse logs each mistake.
func (r *reloader) refuse(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		r.log.Error("the configuration is wrong, and stays as it was", "error", line)
	}
}

// tell logs what is different now, and what is only in the file.
func (r *reloader) tell(changes []change) {
	for _, w := range r.running.doubts() {
		r.log.Warn(w)
	}
	waiting := 0
	for _, c := range changes {
		if c.reloads {
			notice(r.log, c.String(), "from", c.from)
			continue
		}
		waiting++
		r.log.Warn(c.String(), "from", c.from)
	}
	notice(r.log, "the configuration has been read again", "changed", len(changes)-waiting, "need-a-restart", waiting)
}

// change is a difference between the settings of the process and those of the file.
type change struct {
	key       string
	now, next string // "" if they are not shown
	reloads   bool
	from      origin // of next
}

// String reads "key: a before, b now", or "key: a now, b in the file: needs a restart".
func (c change) String() string {
	where := "by default"
	switch {
	case c.from.flag != "":
		where = "by a flag"
	case c.from.file != "":
		where = "in the file"
	}
	switch {
	case c.reloads && c.now == c.next:
		return c.key + ": changed"
	case c.reloads:
		return fmt.Sprintf("%s: %s before, %s now", c.key, c.now, c.next)
	}
	return fmt.Sprintf("%s: %s now, %s %s: needs a restart", c.key, c.now, c.next, where)
}

// merge returns what the process can run with without a restart: the settings of next, as far
// as they can change, and otherwise its own. It changes neither.
func (c *Config) merge(next *Config) (*Config, []change) {
	merged := *next
	merged.account, merged.from = c.account, maps.Clone(next.from)
	var changes []change
	for i := range settings {
		s := &settings[i]
		ch, differs := differs(s, c, next, next.from[s.key])
		if differs {
			changes = append(changes, ch)
		}
		if differs && !ch.reloads {
			s.copy(&merged, c)
			if o, ok := c.from[s.key]; ok {
				merged.from[s.key] = o
			} else {
				delete(merged.from, s.key)
			}
		}
	}
	merged.Listen = nil
	listens, more := c.mergeListens(next)
	merged.Listen = listens
	changes = append(changes, more...)
	for _, list := range []struct{ key, now, next string }{
		{tubeKey, fmt.Sprint(c.Tubes), fmt.Sprint(next.Tubes)},
		{scheduleKey, showSchedules(c.Schedules), showSchedules(next.Schedules)},
		{queueForKey, fmt.Sprint(c.Queue.For), fmt.Sprint(next.Queue.For)},
		{accessKey, showRules(c.Access), showRules(next.Access)},
	} {
		if list.now != list.next {
			changes = append(changes, change{key: list.key, reloads: true})
		}
	}
	merged.Queue.TLS.takeOver(&c.Queue.TLS, &next.Queue.TLS)
	merged.HTTP.TLS.takeOver(&c.HTTP.TLS, &next.HTTP.TLS)
	return &merged, changes
}

// takeOver keeps the certificates that the listeners have, and what was read to replace them.
func (t *TLS) takeOver(now, next *TLS) {
	t.certs, t.read = now.certs, nil
	if now.certs != nil {
		t.read = next.certs
	}
}

// differs compares one setting.
func differs[T any](s *setting[T], now, next *T, from origin) (change, bool) {
	ch := change{key: s.key, now: s.show(now), next: s.show(next), from: from}
	ch.reloads = s.reloads != nil && s.reloads(now, next)
	return ch, !s.equal(now, next)
}

// mergeListens does what merge does for [[listen]]. Addresses stay as they are; the settings
// of an address that is in both may change.
func (c *Config) mergeListens(next *Config) (merged []Listen, changes []change) {
	for _, now := range c.Listen {
		m := now
		i := slices.IndexFunc(next.Listen, func(l Listen) bool { return l.Address == now.Address })
		if i >= 0 {
			for k := range listenSettings {
				s := &listenSettings[k]
				ch, differs := differs(s, &now, &next.Listen[i], next.Listen[i].from)
				ch.key += " of " + now.Address.String()
				if differs {
					changes = append(changes, ch)
				}
				if differs && ch.reloads {
					s.copy(&m, &next.Listen[i])
				}
			}
			m.from = next.Listen[i].from
			m.TLS.takeOver(&now.TLS, &next.Listen[i].TLS)
		}
		merged = append(merged, m)
	}
	if now, then := addressesOf(c.Listen), addressesOf(next.Listen); now != then {
		changes = append(changes, change{key: "listen", now: now, next: then, from: next.Listen[0].from})
	}
	return merged, changes
}

// addressesOf shows addresses, in an order of their own.
func addressesOf(ls []Listen) string {
	var list []string
	for _, l := range ls {
		list = append(list, quote(l.Address.String()))
	}
	slices.Sort(list)
	return "[" + strings.Join(list, ", ") + "]"
}

// showRules shows all rules. They are compared, and not logged.
func showRules(rules []access.Rule) (all string) {
	for i := range rules {
		all += showRule(&rules[i]) + "\n"
	}
	return all
}
