package main

import (
	"errors"
	"strings"
	"time"

	"beanfield/conn/access"
	"beanfield/shard/queue"
)

// TubeRule is a [[tube]]: the policy for the tubes whose name matches.
type TubeRule struct {
	Match         string
	MaxJobs       int   // 0: no limit
	MaxBytes      int64 // likewise
	Full          string
	MaxDeliveries int // 0: no limit
	Count         string
	DeadLetter    string
	Retry         retry
	Expire        time.Duration // 0: never
	MaxReserved   int           // 0: no limit
	Rate          int           // jobs a second; 0: no limit
	Burst         int           // 0: as Rate
}

// The words of tube.full, tube.count and tube.dead_letter.
var (
	fulls      = map[string]queue.Full{"refuse": queue.FullRefuse, "oldest": queue.FullOldest, "least": queue.FullLeast}
	counts     = map[string]queue.Counted{"reserves": queue.CountReserves, "timeouts": queue.CountTimeouts, "releases": queue.CountReleases}
	deadFates  = map[string]queue.Fate{"bury": queue.FateBury, "delete": queue.FateDrop}
	countWords = []string{"reserves", "timeouts", "releases"}
)

const (
	minRetry  = time.Millisecond
	maxRetry  = 365 * 24 * time.Hour
	minExpire = time.Second
	maxExpire = 10 * 365 * 24 * time.Hour
	maxRate   = 1_000_000
)

func defaultTubeRule() TubeRule {
	return TubeRule{Full: "refuse", Count: "reserves", DeadLetter: "bury"}
}

// tubeSettings are the keys of each [[tube]].
var tubeSettings = allLive([]setting[TubeRule]{
	row("tube.match", "", "pattern", `a tube's name, in which * stands for any characters, also none`,
		func(t *TubeRule) *string { return &t.Match }, asPattern, quote),
	number("tube.max_jobs", "", "jobs", maxItems, func(t *TubeRule) *int { return &t.MaxJobs }),
	size("tube.max_bytes", "", 0, maxBytes, func(t *TubeRule) *int64 { return &t.MaxBytes }),
	oneOf("tube.full", "", []string{"refuse", "oldest", "least"}, func(t *TubeRule) *string { return &t.Full }),
	number("tube.max_deliveries", "", "times", maxDeliveries, func(t *TubeRule) *int { return &t.MaxDeliveries }),
	oneOf("tube.count", "", countWords, func(t *TubeRule) *string { return &t.Count }),
	row("tube.dead_letter", "", "word", `"bury", "delete"`, func(t *TubeRule) *string { return &t.DeadLetter }, asDeadLetter, quote),
	row("tube.retry", "", "time", `a time such as "10s", or two such as "1s..1h", from 1ms to 8760h; "" for no delay`,
		func(t *TubeRule) *retry { return &t.Retry }, asRetry, retry.show),
	duration("tube.expire", "", 0, maxExpire, func(t *TubeRule) *time.Duration { return &t.Expire }),
	number("tube.max_reserved", "", "jobs", maxItems, func(t *TubeRule) *int { return &t.MaxReserved }),
	number("tube.rate", "", "jobs a second", maxRate, func(t *TubeRule) *int { return &t.Rate }),
	number("tube.burst", "", "jobs", maxRate, func(t *TubeRule) *int { return &t.Burst }),
})

// asDeadLetter takes a word. Any other may be meant as the name of a tube.
func asDeadLetter(v any) (string, error) {
	word, err := asWord(v, []string{"bury", "delete"})
	if s, ok := v.(string); ok && err != nil && s != "" {
		return "", errors.New("not a word for this, and dead letters cannot be moved to another tube")
	}
	return word, err
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
		MaxJobs: t.MaxJobs, MaxBytes: t.MaxBytes, Full: fulls[t.Full],
		MaxDeliveries: t.MaxDeliveries, Count: counts[t.Count], DeadLetter: deadFates[t.DeadLetter],
		Retry:  queue.Retry{First: int64(t.Retry.first), Most: int64(t.Retry.most)},
		Expire: int64(t.Expire), MaxReserved: t.MaxReserved, Rate: t.Rate, Burst: t.Burst,
	}
}

// policyFor returns the function that finds a tube's policy: that of the first [[tube]] that its
// name matches. Without any [[tube]] there is no function.
func (c *Config) policyFor() func(name string) *queue.Policy {
	if len(c.Tubes) == 0 {
		return nil
	}
	rules := c.Tubes
	policies := make([]*queue.Policy, len(rules))
	for i := range rules {
		policies[i] = rules[i].policy()
	}
	return func(name string) *queue.Policy {
		for i := range rules {
			if access.Match(rules[i].Match, name) {
				return policies[i]
			}
		}
		return nil
	}
}

// contradiction is a key that means nothing beside the others, and why; "" if there is none.
func (t *TubeRule) contradiction() (name, problem string) {
	d := defaultTubeRule()
	switch {
	case t.Full != d.Full && t.MaxJobs == 0 && t.MaxBytes == 0:
		return "full", "nothing makes the tube full: set max_jobs or max_bytes too"
	case t.Count != d.Count && t.MaxDeliveries == 0:
		return "count", "nothing is counted: set max_deliveries too"
	case t.DeadLetter != d.DeadLetter && t.MaxDeliveries == 0:
		return "dead_letter", "there are no dead letters: set max_deliveries too"
	}
	if t.Burst != 0 && t.Rate == 0 {
		return "burst", "there is no rate: set rate too"
	}
	if t.Expire != 0 && t.Expire < minExpire {
		return "expire", "shorter than a second, and not 0s"
	}
	return "", ""
}
