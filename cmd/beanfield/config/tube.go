package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"beanfield/conn/access"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// TubeRule is a [[tube]]: the policy for the tubes whose name matches.
type TubeRule struct {
	Match string
	policy.Policy
	at Origin
}

const (
	minRetry  = int64(time.Millisecond)
	maxRetry  = int64(365 * 24 * time.Hour)
	minExpire = time.Second
)

// fates are the words of dead_letter that are not the name of a tube.
var fates = map[string]policy.Fate{"bury": policy.FateBury, "delete": policy.FateDrop}

// asFate takes a word, or the name of a tube, for the policy of which this is the field.
func asFate(row *setting, v any) (any, error) {
	t := row.field.Interface().(TubeRule)
	s, err := as[string](v)
	fate, word := fates[s]
	switch {
	case err != nil:
		return nil, err
	case word:
		t.DeadLetter, t.DeadTube = fate, ""
	case s == "drop" || s == "rear":
		return nil, errors.New("a word of queue.dead_letter, not of this")
	case !queue.ValidName([]byte(s)):
		return nil, errors.New("no tube can have this name")
	default:
		t.DeadLetter, t.DeadTube = policy.FateTube, s
	}
	return t, nil
}

func showFate(row *setting) string {
	t := row.field.Interface().(TubeRule)
	for word, fate := range fates {
		if fate == t.DeadLetter {
			return quote(word)
		}
	}
	return quote(t.DeadTube)
}

// showRetry shows a fixed delay, or one that grows to another.
func showRetry(r policy.Retry) string {
	one := func(d int64) string { return strings.Trim(showTime(d), `"`) }
	switch {
	case r.First == 0:
		return `""`
	case r.Most == 0:
		return quote(one(r.First))
	}
	return quote(one(r.First) + ".." + one(r.Most))
}

func asRetry(s string) (r policy.Retry, err error) {
	if s == "" {
		return r, nil
	}
	first, most, grows := strings.Cut(s, "..")
	r.First, err = asTime(first, minRetry, maxRetry)
	if err == nil && grows {
		r.Most, err = asTime(most, minRetry, maxRetry)
	}
	if err == nil && grows && r.Most < r.First {
		err = errors.New("the last delay is shorter than the first")
	}
	return r, err
}

// contradiction is a key that means nothing beside the others, and why; "" if there is none.
func (t *TubeRule) contradiction() (name, problem string) {
	d := fresh[TubeRule](tubeKey)
	dies := t.Expired == policy.ExpiryDie
	switch {
	case t.Full != d.Full && t.Most == policy.Amount{}:
		return "full", "nothing makes the tube full: set max_jobs, max_bytes or max_memory too"
	case t.Count != d.Count && t.MaxDeliveries == 0:
		return "count", "nothing is counted: set max_deliveries too"
	case t.DeadLetter != d.DeadLetter && t.MaxDeliveries == 0 && !dies:
		return "dead_letter", "there are no dead letters: set max_deliveries too"
	case t.ExpireReady && t.Expire == 0:
		return "expire_from", "no job gets too old: set expire too"
	case dies && t.Expire == 0:
		return "expired", "no job gets too old: set expire too"
	case dies && t.DeadTube == "":
		return "expired", "jobs that are too old can only go to another tube: set dead_letter to its name"
	case t.Burst != 0 && t.Rate == 0:
		return "burst", "there is no rate: set rate too"
	case t.Retry.First != 0 && t.MaxDeliveries == 1 && t.Count == d.Count:
		return "retry", "no job is tried again: with max_deliveries = 1, one that comes back is a dead letter"
	case t.Expire != 0 && !t.ExpireReady && t.Retry.First >= t.Expire:
		return "retry", "a job that comes back is too old before it is tried again: expire = " +
			showTime(t.Expire) + " is no longer"
	case t.Aging%int64(time.Millisecond) != 0:
		return "aging", "not a whole number of milliseconds"
	case t.Expire != 0 && t.Expire < int64(minExpire):
		return "expire", "shorter than a second, and not 0s"
	}
	return "", ""
}

const tubeKey = "tube"

// tubes reads the array of policies for some tubes.
func (r *fileReader) tubes(key toml.Key, v any) {
	seen := map[string]int{}
	var all []element
	rules, _ := elements(r, key, v, "tables", fresh[TubeRule](tubeKey),
		func(e *element, t *TubeRule) {
			all, t.at = append(all, *e), Origin{File: r.path, Line: e.line}
			if len(e.bad) > 0 {
				return
			}
			e.once(seen, "match", t.Match, "the same pattern as in line %d, where the first match counts")
			if name, problem := t.contradiction(); name != "" {
				e.wrong(name, problem, "")
			}
		})
	r.config.Tubes = rules
	for i := range rules {
		problem := circleFrom(rules, i)
		if next, in := vainFrom(rules, i); in && problem == "" {
			problem = fmt.Sprintf(deletesThem, fmt.Sprintf("in line %d", rules[next].at.Line))
		}
		if problem != "" {
			all[i].wrong("dead_letter", problem, "")
		}
	}
}

// deletesThem says what is wrong if vainFrom says so, and where that is.
const deletesThem = "its policy, %s, deletes jobs of that age at once: " +
	"give that tube one with a longer expire, before that"

// vainFrom finds the policy that deletes what another one sends to its tube because of its age, as soon as
// that comes: a job's age counts from its put, wherever it is, unless that policy says otherwise.
func vainFrom(rules []TubeRule, i int) (next int, in bool) {
	t := &rules[i]
	if t.DeadTube == "" || t.Expired != policy.ExpiryDie {
		return 0, false
	}
	if next = firstMatch(rules, t.DeadTube); next < 0 {
		return 0, false
	}
	to := &rules[next]
	return next, to.Expire > 0 && !to.ExpireReady && to.Expire <= t.Expire && to.Expired == policy.ExpiryDrop
}

// circleFrom says how the dead letters of a policy would come back to a tube in which they were, with all
// policies; "" if they do not.
func circleFrom(rules []TubeRule, i int) string {
	var been []string
	for i >= 0 && rules[i].DeadTube != "" {
		to := rules[i].DeadTube
		if slices.Contains(been, to) {
			return fmt.Sprintf("dead letters of tube %q would come back to it: "+
				"a [[tube]] before this one, which matches %[1]q, can say otherwise", to)
		}
		been, i = append(been, to), firstMatch(rules, to)
	}
	return ""
}

// firstMatch is the rule that holds for a tube, or -1.
func firstMatch(rules []TubeRule, name string) int {
	return slices.IndexFunc(rules, func(t TubeRule) bool { return access.Match(t.Match, name) })
}

// hiddenBy is the pattern before a rule's own that matches whatever it matches; "" if there is none.
// In the name of a tube there is no star, so a star in the second pattern stands for what only a star
// in the first one can take.
func hiddenBy(rules []TubeRule, i int) string {
	if first := firstMatch(rules[:i], rules[i].Match); first >= 0 {
		return rules[first].Match
	}
	return ""
}

// policiesOf returns the function that finds a tube's policy: that of the first rule that its name
// matches. Without any rule there is no function.
func policiesOf(rules []TubeRule) func(name string) *policy.Policy {
	if len(rules) == 0 {
		return nil
	}
	return func(name string) *policy.Policy {
		if i := firstMatch(rules, name); i >= 0 {
			return &rules[i].Policy
		}
		return nil
	}
}

// PolicyFor returns the function that finds a tube's policy, if only those of the file hold.
func (c *Config) PolicyFor() func(name string) *policy.Policy { return policiesOf(c.Tubes) }

// PoliciesWith is PolicyFor with those of a kept text in front.
func (c *Config) PoliciesWith(text string) func(name string) *policy.Policy {
	return policiesOf(readKeptPolicies(text).rules(c))
}
