package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/conn/access"
	"beanfield/shard/queue"

	"github.com/BurntSushi/toml"
)

// TubeRule is a [[tube]]: the policy for the tubes whose name matches.
type TubeRule struct {
	Match         string
	MaxJobs       int   // 0: no limit
	MaxBytes      int64 // likewise
	MaxMemory     int64 // likewise
	Full          string
	MaxDeliveries int // 0: no limit
	Count         string
	DeadLetter    string
	Retry         retry
	Expire        time.Duration // 0: never
	ExpireFrom    string
	Expired       string
	MaxReserved   int           // 0: no limit
	Rate          int           // jobs a second; 0: no limit
	Burst         int           // 0: as Rate
	Weight        int           // 0: none
	Aging         time.Duration // 0: never
}

// The words of tube.full, tube.count and tube.dead_letter.
var (
	fulls      = map[string]queue.Full{"refuse": queue.FullRefuse, "oldest": queue.FullOldest, "least": queue.FullLeast}
	counts     = map[string]queue.Counted{"reserves": queue.CountReserves, "timeouts": queue.CountTimeouts, "releases": queue.CountReleases}
	deadFates  = map[string]queue.Fate{"bury": queue.FateBury, "delete": queue.FateDrop}
	countWords = []string{"reserves", "timeouts", "releases"}
	expiries   = map[string]queue.Expiry{"delete": queue.ExpiryDrop, "dead_letter": queue.ExpiryDie}
)

// expireReady has a job's age count from when it became ready.
const expireReady = "ready"

const (
	minRetry  = time.Millisecond
	maxRetry  = 365 * 24 * time.Hour
	minAging  = time.Millisecond
	maxAging  = 24 * time.Hour
	minExpire = time.Second
	maxExpire = 10 * 365 * 24 * time.Hour
	maxRate   = 1_000_000
)

func defaultTubeRule() TubeRule {
	return TubeRule{Full: "refuse", Count: "reserves", DeadLetter: "bury", ExpireFrom: "put", Expired: "delete"}
}

// tubeSettings are the keys of each [[tube]].
var tubeSettings = allLive([]setting[TubeRule]{
	row("tube.match", "", "pattern", `a tube's name, in which * stands for any characters, also none`,
		func(t *TubeRule) *string { return &t.Match }, asPattern, quote),
	number("tube.max_jobs", "", "jobs", maxItems, func(t *TubeRule) *int { return &t.MaxJobs }),
	size("tube.max_bytes", "", 0, maxBytes, func(t *TubeRule) *int64 { return &t.MaxBytes }),
	size("tube.max_memory", "", 0, maxBytes, func(t *TubeRule) *int64 { return &t.MaxMemory }),
	oneOf("tube.full", "", []string{"refuse", "oldest", "least"}, func(t *TubeRule) *string { return &t.Full }),
	number("tube.max_deliveries", "", "times", maxDeliveries, func(t *TubeRule) *int { return &t.MaxDeliveries }),
	oneOf("tube.count", "", countWords, func(t *TubeRule) *string { return &t.Count }),
	row("tube.dead_letter", "", "word", `"bury", "delete", or the name of another tube`, func(t *TubeRule) *string { return &t.DeadLetter }, asDeadLetter, quote),
	row("tube.retry", "", "time", `a time such as "10s", or two such as "1s..1h", from 1ms to 8760h; "" for no delay`,
		func(t *TubeRule) *retry { return &t.Retry }, asRetry, retry.show),
	duration("tube.expire", "", 0, maxExpire, func(t *TubeRule) *time.Duration { return &t.Expire }),
	oneOf("tube.expire_from", "", []string{"put", expireReady}, func(t *TubeRule) *string { return &t.ExpireFrom }),
	oneOf("tube.expired", "", []string{"delete", "dead_letter"}, func(t *TubeRule) *string { return &t.Expired }),
	number("tube.max_reserved", "", "jobs", maxItems, func(t *TubeRule) *int { return &t.MaxReserved }),
	number("tube.rate", "", "jobs a second", maxRate, func(t *TubeRule) *int { return &t.Rate }),
	number("tube.burst", "", "jobs", maxRate, func(t *TubeRule) *int { return &t.Burst }),
	number("tube.weight", "", "parts", queue.MostWeight, func(t *TubeRule) *int { return &t.Weight }),
	duration("tube.aging", "", 0, maxAging, func(t *TubeRule) *time.Duration { return &t.Aging }),
})

// asDeadLetter takes a word, or the name of a tube.
func asDeadLetter(v any) (string, error) {
	word, err := asWord(v, []string{"bury", "delete"})
	s, ok := v.(string)
	switch {
	case err == nil || !ok:
		return word, err
	case s == "drop" || s == "rear":
		return "", errors.New("a word of queue.dead_letter, not of this")
	case !queue.ValidName([]byte(s)):
		return "", errors.New("no tube can have this name")
	}
	return s, nil
}

// deadTube is the tube that dead letters go to; "" if they go to none.
func (t *TubeRule) deadTube() string {
	if _, word := deadFates[t.DeadLetter]; word {
		return ""
	}
	return t.DeadLetter
}

// fate is what becomes of dead letters.
func (t *TubeRule) fate() queue.Fate {
	if f, word := deadFates[t.DeadLetter]; word {
		return f
	}
	return queue.FateTube
}

// retry is a fixed delay, or one that grows to another.
type retry struct{ first, most time.Duration }

func (r retry) show() string {
	one := func(d time.Duration) string { return strings.Trim(showTime(d), `"`) }
	switch {
	case r.first == 0:
		return `""`
	case r.most == 0:
		return quote(one(r.first))
	}
	return quote(one(r.first) + ".." + one(r.most))
}

func asRetry(v any) (r retry, err error) {
	s, err := asText(v)
	if err != nil || s == "" {
		return retry{}, err
	}
	first, most, grows := strings.Cut(s, "..")
	if r.first, err = asTime(first, minRetry, maxRetry); err != nil || !grows {
		return r, err
	}
	if r.most, err = asTime(most, minRetry, maxRetry); err == nil && r.most < r.first {
		err = errors.New("the last delay is shorter than the first")
	}
	return r, err
}

// policy returns the rule in the form that package queue takes.
func (t *TubeRule) policy() *queue.Policy {
	return &queue.Policy{
		MaxJobs: t.MaxJobs, MaxBytes: t.MaxBytes, MaxMemory: t.MaxMemory, Full: fulls[t.Full],
		MaxDeliveries: t.MaxDeliveries, Count: counts[t.Count], DeadLetter: t.fate(), DeadTube: t.deadTube(),
		Retry:  queue.Retry{First: int64(t.Retry.first), Most: int64(t.Retry.most)},
		Expire: int64(t.Expire), ExpireReady: t.ExpireFrom == expireReady, Expired: expiries[t.Expired], MaxReserved: t.MaxReserved, Rate: t.Rate, Burst: t.Burst, Weight: t.Weight, Aging: int64(t.Aging),
	}
}

// policyFor returns the function that finds a tube's policy, if only those of the file hold.
func (c *Config) PolicyFor() func(name string) *queue.Policy { return policiesOf(c.Tubes) }

// policiesWith is policyFor with those of a kept text in front.
func (c *Config) PoliciesWith(text string) func(name string) *queue.Policy {
	return policiesOf(readKeptPolicies(text).rules(c))
}

// contradiction is a key that means nothing beside the others, and why; "" if there is none.
func (t *TubeRule) contradiction() (name, problem string) {
	d := defaultTubeRule()
	switch {
	case t.Full != d.Full && t.MaxJobs == 0 && t.MaxBytes == 0 && t.MaxMemory == 0:
		return "full", "nothing makes the tube full: set max_jobs, max_bytes or max_memory too"
	case t.Count != d.Count && t.MaxDeliveries == 0:
		return "count", "nothing is counted: set max_deliveries too"
	case t.DeadLetter != d.DeadLetter && t.MaxDeliveries == 0 && t.Expired == d.Expired:
		return "dead_letter", "there are no dead letters: set max_deliveries too"
	case t.ExpireFrom != d.ExpireFrom && t.Expire == 0:
		return "expire_from", "no job gets too old: set expire too"
	case t.Expired != d.Expired && t.Expire == 0:
		return "expired", "no job gets too old: set expire too"
	case t.Expired != d.Expired && t.deadTube() == "":
		return "expired", "jobs that are too old can only go to another tube: set dead_letter to its name"
	}
	switch {
	case t.Burst != 0 && t.Rate == 0:
		return "burst", "there is no rate: set rate too"
	case t.Retry.first != 0 && t.MaxDeliveries == 1 && t.Count == d.Count:
		return "retry", "no job is tried again: with max_deliveries = 1, one that comes back is a dead letter"
	case t.Expire != 0 && t.ExpireFrom == d.ExpireFrom && t.Retry.first >= t.Expire:
		return "retry", fmt.Sprintf("a job that comes back is too old before it is tried again: expire = %s is no longer", showTime(t.Expire))
	}
	if t.Aging != 0 && t.Aging%minAging != 0 {
		return "aging", "not a whole number of milliseconds"
	}
	if t.Expire != 0 && t.Expire < minExpire {
		return "expire", "shorter than a second, and not 0s"
	}
	return "", ""
}

const tubeKey = "tube"

// tubes reads the array of policies for some tubes.
func (r *fileReader) tubes(key toml.Key, v any) {
	tables, _ := r.array(key, v, "tables")
	seen := map[string]int{}
	for i, table := range tables {
		t := defaultTubeRule()
		line := r.lines.element(key, i, len(tables))
		if _, ok := table["match"]; !ok {
			r.missing(line, tubeSettings[0].key, "missing", tubeSettings[0].allowed)
		}
		if wrong := read(r, key, line, table, tubeSettings, &t); len(wrong) == 0 {
			r.contradicted(key, line, table, &t, seen)
		}
		r.config.Tubes, r.config.tubeAt = append(r.config.Tubes, t), append(r.config.tubeAt, Origin{File: r.path, Line: line})
	}
	for i, table := range tables {
		problem := circleFrom(r.config.Tubes, i)
		if next, in := vainFrom(r.config.Tubes, i); in && problem == "" {
			problem = fmt.Sprintf(deletesThem, fmt.Sprintf("in line %d", r.config.tubeAt[next].Line))
		}
		if problem != "" {
			at := child(key, "dead_letter")
			r.wrong(r.lines.at(at, r.lines.element(key, i, len(tables))), at, table["dead_letter"], problem, "")
		}
	}
}

// deletesThem says what is wrong if vainFrom says so, and where that is.
const deletesThem = "its policy, %s, deletes jobs of that age at once: give that tube one with a longer expire, before that"

// vainFrom finds the policy that deletes what another one sends to its tube because of its age, as soon as
// that comes: a job's age counts from its put, wherever it is, unless that policy says otherwise.
func vainFrom(rules []TubeRule, i int) (next int, in bool) {
	t := &rules[i]
	if t.deadTube() == "" || expiries[t.Expired] != queue.ExpiryDie {
		return 0, false
	}
	if next = firstMatch(rules, t.deadTube()); next < 0 {
		return 0, false
	}
	to := &rules[next]
	return next, to.Expire > 0 && to.ExpireFrom != expireReady && to.Expire <= t.Expire && expiries[to.Expired] == queue.ExpiryDrop
}

// circleFrom says how the dead letters of a policy would come back to a tube in which they were, with all
// policies; "" if they do not.
func circleFrom(rules []TubeRule, i int) string {
	var been []string
	for t := &rules[i]; t.deadTube() != ""; {
		to := t.deadTube()
		if slices.Contains(been, to) {
			return fmt.Sprintf("dead letters of tube %q would come back to it: a [[tube]] before this one, which matches %q, can say otherwise",
				to, to)
		}
		been = append(been, to)
		next := slices.IndexFunc(rules, func(t TubeRule) bool { return access.Match(t.Match, to) })
		if next < 0 {
			break
		}
		t = &rules[next]
	}
	return ""
}

// contradicted notes what cannot be meant. seen are the patterns so far, with their lines.
func (r *fileReader) contradicted(path toml.Key, from int, table map[string]any, t *TubeRule, seen map[string]int) {
	at := child(path, "match")
	line := r.lines.at(at, from)
	if first, twice := seen[t.Match]; twice && t.Match != "" {
		r.wrong(line, at, table["match"], fmt.Sprintf("the same pattern as in line %d, where the first match counts", first), "")
	}
	seen[t.Match] = line
	if name, problem := t.contradiction(); name != "" {
		at := child(path, name)
		r.wrong(r.lines.at(at, from), at, table[name], problem, "")
	}
}
