package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Reload reads the configuration again, and returns what the process can run with now, and what differs. If
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

// Change is a difference between the settings of the process and those of the file.
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
	mine, theirs, both := c.rows(), next.rows(), merged.rows()
	for i := range mine {
		s := &mine[i]
		ch, differs := differs(s, &theirs[i], next.From[s.key])
		if !differs {
			continue
		}
		if changes = append(changes, ch); ch.Reloads {
			continue
		}
		both[i].take(s)
		if o, ok := c.From[s.key]; ok {
			merged.From[s.key] = o
		} else {
			delete(merged.From, s.key)
		}
	}
	listens, more := c.mergeListens(next)
	merged.Listen = listens
	changes = append(changes, more...)
	now, then := c.arrays(), next.arrays()
	for i, key := range []string{tubeKey, scheduleKey, queueForKey, accessKey} {
		if now[i] != then[i] {
			changes = append(changes, Change{key: key, Reloads: true})
		}
	}
	merged.Queue.TLS.takeOver(&c.Queue.TLS, &next.Queue.TLS)
	merged.HTTP.TLS.takeOver(&c.HTTP.TLS, &next.HTTP.TLS)
	return &merged, changes
}

// arrays shows what the arrays of tables have, of tubes, schedules, queues and rules. It is compared, and not logged.
func (c *Config) arrays() [4]string {
	return [4]string{
		shownAll(c.Tubes, func(t *TubeRule) string { return inOneLine(rowsOf(tubeKey, t)) }),
		shownAll(c.Schedules, (*ScheduleRule).shown),
		shownAll(c.Queue.For, func(q *QueueFor) string { return inOneLine(rowsOf(queueForKey, q)) }),
		shownAll(c.Access, showRule),
	}
}

// takeOver keeps the certificates that the listeners have, and what was read to replace them.
func (t *TLS) takeOver(now, next *TLS) {
	t.Certs, t.read = now.Certs, nil
	if now.Certs != nil {
		t.read = next.Certs
	}
}

// differs compares one setting.
func differs(now, next *setting, from Origin) (Change, bool) {
	ch := Change{key: now.key, now: now.show(), next: next.show(), From: from, Reloads: now.reloads(next)}
	return ch, !now.equal(next)
}

// mergeListens does what merge does for [[listen]]. Addresses stay as they are; the settings
// of an address that is in both may change.
func (c *Config) mergeListens(next *Config) (merged []Listen, changes []Change) {
	for _, now := range c.Listen {
		m := now
		i := slices.IndexFunc(next.Listen, func(l Listen) bool { return l.Address == now.Address })
		if i >= 0 {
			then := &next.Listen[i]
			mine, theirs, both := rowsOf(listenKey, &now), rowsOf(listenKey, then), rowsOf(listenKey, &m)
			for k := range mine {
				ch, differs := differs(&mine[k], &theirs[k], then.from)
				if ch.key += " of " + now.Address.String(); differs {
					changes = append(changes, ch)
				}
				if differs && ch.Reloads {
					both[k].take(&theirs[k])
				}
			}
			m.from = then.from
			m.TLS.takeOver(&now.TLS, &then.TLS)
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

// SameAccess says that two configurations have the same rules.
func (c *Config) SameAccess(other *Config) bool {
	return shownAll(c.Access, showRule) == shownAll(other.Access, showRule)
}
