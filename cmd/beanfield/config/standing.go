package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

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

// policySet is the policies and the schedules of a text that somebody has set at run time.
type policySet struct {
	text      string
	tubes     []TubeRule
	schedules []ScheduleRule
	problems  []string // with what is left out of these, because this build does not understand it
}

// policyText is how mistakes name such a text.
const policyText = "policies"

// ReadPolicies reads a text as strictly as the file is read.
func ReadPolicies(text string) (*policySet, Mistakes) {
	if len(text) > conn.MaxPolicies {
		return nil, Mistakes{{Origin: Origin{File: policyText}, Problem: fmt.Sprintf("%d bytes are too long; allowed: %d", len(text),
			conn.MaxPolicies)}}
	}
	doc, ms := decode(policyText, text)
	if len(ms) > 0 {
		return nil, ms
	}
	return readPolicyTables(text, doc)
}

// policyTables are the tables that such a text may have.
var policyTables = []string{tubeKey, scheduleKey}

func readPolicyTables(text string, doc map[string]any) (*policySet, Mistakes) {
	r := fileReader{path: policyText, lines: findLines(text), config: new(Config), atRunTime: true}
	for name, v := range doc {
		switch key := (toml.Key{name}); name {
		case tubeKey:
			r.tubes(key, v)
		case scheduleKey:
			r.schedules(key, v)
		default:
			r.unknown(r.lines.at(key, 0), key, v, policyTables)
		}
	}
	for i := range r.config.Schedules {
		s := &r.config.Schedules[i]
		s.Body = []byte(s.Text)
	}
	r.mistakes.sort()
	return &policySet{text: text, tubes: r.config.Tubes, schedules: r.config.Schedules}, r.mistakes
}

// readKeptPolicies reads a text that has been kept, perhaps by another build. What this one does not
// understand is left out, and told in problems: a server that does not start would help nobody.
func readKeptPolicies(text string) *policySet {
	set, ms := ReadPolicies(text)
	if len(ms) == 0 {
		return set
	}
	left := &policySet{text: text}
	if doc, wrong := decode(policyText, text); len(wrong) == 0 {
		leaveOutUnknown(doc)
		left, _ = readPolicyTables(text, doc) // what is still wrong is so between policies, and did hold
	}
	for _, m := range ms {
		left.problems = append(left.problems, m.String())
	}
	return left
}

// leaveOutUnknown takes what this build does not understand out of a document.
func leaveOutUnknown(doc map[string]any) {
	maps.DeleteFunc(doc, func(name string, _ any) bool { return !slices.Contains(policyTables, name) })
	leaveOut(doc, tubeKey, func(table map[string]any) string { return understood(table).Match })
	leaveOut(doc, scheduleKey, understoodSchedule)
}

// leaveOut takes those tables out of an array that have no name, or that of one before them.
func leaveOut(doc map[string]any, key string, named func(map[string]any) string) {
	tables, ok := asTables(doc[key])
	if !ok {
		delete(doc, key)
		return
	}
	seen := map[string]bool{}
	doc[key] = slices.DeleteFunc(tables, func(table map[string]any) bool {
		name := named(table)
		again := seen[name]
		seen[name] = true
		return name == "" || again
	})
}

// understood leaves in a [[tube]] only the keys that have a meaning, and that can stand together.
func understood(table map[string]any) *TubeRule {
	for {
		rule := fresh[TubeRule](tubeKey)
		rows := rowsOf(tubeKey, &rule)
		maps.DeleteFunc(table, func(name string, v any) bool {
			row := find(rows, tubeKey+"."+name)
			return row == nil || row.set(v) != nil
		})
		name, _ := rule.contradiction()
		if name == "" {
			return &rule
		}
		delete(table, name)
	}
}

// list shows all policies that hold: those of the set, and then those of the file.
func (s *policySet) list(c *Config) *conn.PolicyList {
	sum := sha256.Sum256([]byte(s.text))
	l := &conn.PolicyList{
		Version: hex.EncodeToString(sum[:6]), Kept: c.Storage.Backend == OnDisk, Text: s.text,
		Problems: append([]string{}, s.problems...), Policies: []conn.Policy{}, Bodies: len(s.schedules) > 0,
	}
	rules := s.rules(c)
	for i := range rules {
		r := &rules[i]
		p := conn.Policy{Match: r.Match, HiddenBy: hiddenBy(rules, i), Settings: r.shown(), Line: r.at.Line}
		if p.From = conn.PolicyFromFile; i < len(s.tubes) {
			p.From = conn.PolicyFromRunTime
		}
		l.Policies = append(l.Policies, p)
	}
	return l
}

// rules are those of the set, and then those of the file.
func (s *policySet) rules(c *Config) []TubeRule { return slices.Concat(s.tubes, c.Tubes) }

// circles are the mistakes that the policies of the file make of these: dead letters that would come back, or
// would be deleted as soon as they come.
func (s *policySet) circles(c *Config) (ms Mistakes) {
	rules := s.rules(c)
	wrong := func(t *TubeRule, key, value, problem string) {
		ms = append(ms, Mistake{Origin: t.at, Key: tubeKey + key, Value: value, Problem: problem})
	}
	for i := range rules {
		t, of := &rules[i], len(s.tubes)
		next, vain := vainFrom(rules, i)
		circle := ""
		if i < of {
			circle = circleFrom(rules, i)
		}
		switch to := &rules[next]; {
		case circle != "":
			wrong(t, ".dead_letter", quote(t.DeadTube), circle)
		case vain && i < of && next >= of:
			wrong(t, ".dead_letter", quote(t.DeadTube), fmt.Sprintf(deletesThem, fmt.Sprintf("in %s", to.at)))
		case vain && i >= of && next < of && firstMatch(rules, t.Match) == i:
			wrong(to, ".expire", showTime(to.Expire),
				fmt.Sprintf("the policy in %s sends jobs of that age here, not to be deleted", t.at))
		}
	}
	return ms
}

// shown are the settings that have not their defaults.
func (t *TubeRule) shown() []conn.Setting {
	list, usual := []conn.Setting{}, fresh[TubeRule](tubeKey)
	rows, defaults := rowsOf(tubeKey, t), rowsOf(tubeKey, &usual)
	for i := range rows {
		name, v := rows[i].name(), rows[i].show()
		if rows[i].needed || v == defaults[i].show() {
			continue
		}
		one := conn.Setting{Key: name, Value: []byte(v)}
		if name == "dead_letter" {
			one.Tube = t.DeadTube
		}
		list = append(list, one)
	}
	return list
}

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
			ms = append(ms, Mistake{Origin: r.named, Key: scheduleKey + ".name",
				Value:   quote(r.Name),
				Problem: fmt.Sprintf("%s has a schedule of this name, in line %d", named.File, named.Line)})
		}
	}
	return append(ms, findBodies(s.schedules, c.Limits.MaxJobSize)...)
}

// understoodSchedule is the name of a [[schedule]]; "" if anything in it is not understood: other than of a
// policy, the rest of it might put jobs that nobody wants.
func understoodSchedule(table map[string]any) string {
	s := fresh[ScheduleRule](scheduleKey)
	rows := rowsOf(scheduleKey, &s)
	for name, v := range table {
		if row := find(rows, scheduleKey+"."+name); row == nil || row.set(v) != nil {
			return ""
		}
	}
	zone, err := s.zone()
	if err == nil {
		_, err = schedule.NewCalendar(s.Rule.Cron, zone)
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
		all = append(all, named{scheduleKey + " " + s.schedules[i].Name, s.schedules[i].shown()})
	}
	return all
}
