package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"beanfield/conn/access"
)

// reload reads the configuration again, and returns what the process can run with now, and what differs. If
// anything is wrong, nothing is to change.
func (c *Config) Reload(f Flags) (*Config, []Change, error) {
	next, err := Load(f)
	if err != nil {
		return nil, nil, err
	}
	if len(c.Access) > 0 && len(next.Access) == 0 && !next.Open {
		return nil, nil, noRules // an editor that was saving, or a file that was cut
	}
	merged, changes := c.merge(next)
	return merged, changes, nil
}

// noRules refuses a file that would let everyone do everything without saying so.
var noRules = Mistakes{{Key: accessKey, Problem: "the file has no rules, and rules hold now",
	Allowed: "access = [] in the file, if everyone may do everything"}}

// change is a difference between the settings of the process and those of the file.
type Change struct {
	key       string
	now, next string // "" if they are not shown
	Reloads   bool
	From      Origin // of next
}

// String reads "key: a before, b now", or "key: a now, b in the file: needs a restart".
func (c Change) String() string {
	where := "by default"
	switch {
	case c.From.Flag != "":
		where = "by a flag"
	case c.From.File != "":
		where = "in the file"
	}
	switch {
	case c.Reloads && c.now == c.next:
		return c.key + ": changed"
	case c.Reloads:
		return fmt.Sprintf("%s: %s before, %s now", c.key, c.now, c.next)
	}
	return fmt.Sprintf("%s: %s now, %s %s: needs a restart", c.key, c.now, c.next, where)
}

// merge returns what the process can run with without a restart: the settings of next, as far
// as they can change, and otherwise its own. It changes neither.
func (c *Config) merge(next *Config) (*Config, []Change) {
	merged := *next
	merged.Account, merged.From = c.Account, maps.Clone(next.From)
	var changes []Change
	for i := range settings {
		s := &settings[i]
		ch, differs := differs(s, c, next, next.From[s.key])
		if differs {
			changes = append(changes, ch)
		}
		if differs && !ch.Reloads {
			s.copy(&merged, c)
			if o, ok := c.From[s.key]; ok {
				merged.From[s.key] = o
			} else {
				delete(merged.From, s.key)
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
			changes = append(changes, Change{key: list.key, Reloads: true})
		}
	}
	merged.Queue.TLS.takeOver(&c.Queue.TLS, &next.Queue.TLS)
	merged.HTTP.TLS.takeOver(&c.HTTP.TLS, &next.HTTP.TLS)
	return &merged, changes
}

// takeOver keeps the certificates that the listeners have, and what was read to replace them.
func (t *TLS) takeOver(now, next *TLS) {
	t.Certs, t.read = now.Certs, nil
	if now.Certs != nil {
		t.read = next.Certs
	}
}

// differs compares one setting.
func differs[T any](s *setting[T], now, next *T, from Origin) (Change, bool) {
	ch := Change{key: s.key, now: s.show(now), next: s.show(next), From: from}
	ch.Reloads = s.reloads != nil && s.reloads(now, next)
	return ch, !s.equal(now, next)
}

// mergeListens does what merge does for [[listen]]. Addresses stay as they are; the settings
// of an address that is in both may change.
func (c *Config) mergeListens(next *Config) (merged []Listen, changes []Change) {
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
				if differs && ch.Reloads {
					s.copy(&m, &next.Listen[i])
				}
			}
			m.from = next.Listen[i].from
			m.TLS.takeOver(&now.TLS, &next.Listen[i].TLS)
		}
		merged = append(merged, m)
	}
	if now, then := addressesOf(c.Listen), addressesOf(next.Listen); now != then {
		changes = append(changes, Change{key: "listen", now: now, next: then, From: next.Listen[0].from})
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

// sameAccess says that two configurations have the same rules.
func (c *Config) SameAccess(other *Config) bool {
	return showRules(c.Access) == showRules(other.Access)
}
