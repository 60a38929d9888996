package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// The first pattern that matches counts, and a tube that none matches has no policy.
func TestPolicyFor(t *testing.T) {
	c := must.Get(load(t, "", `
[[tube]]
match = "a*"
max_jobs = 2
[[tube]]
match = "ab"
max_jobs = 3
[[tube]]
match = "b"
max_bytes = "1KiB"
max_memory = "2KiB"
full = "least"
max_deliveries = 4
count = "timeouts"
dead_letter = "grave"
expired = "dead_letter"
retry = "1s..1h"
expire = "24h"
max_reserved = 5
rate = 6
burst = 7
weight = 8
aging = "9s"
`))
	of := c.PolicyFor()
	for name, want := range map[string]*policy.Policy{
		"a": {Most: [3]int64{2}, DeadLetter: policy.FateBury}, "ab": {Most: [3]int64{2}, DeadLetter: policy.FateBury},
		"c": nil,
		"b": {Most: [3]int64{0, 1024, 2048}, Full: policy.FullLeast, MaxDeliveries: 4, Count: policy.CountTimeouts,
			DeadLetter: policy.FateTube, DeadTube: "grave",
			Retry: policy.Retry{First: int64(time.Second), Most: int64(time.Hour)}, Expire: int64(24 * time.Hour),
			Expired: policy.ExpiryDie, MaxReserved: 5, Rate: 6, Burst: 7, Weight: 8, Aging: int64(9 * time.Second)},
	} {
		if got := of(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: policy %+v, want %+v", name, got, want)
		}
	}
	for _, s := range c.Tubes[2].shown() {
		if (s.Tube == "grave") != (s.Key == "dead_letter") {
			t.Errorf("%s is said to name the tube %q", s.Key, s.Tube)
		}
	}
	if must.Get(load(t, "", "")).PolicyFor() != nil {
		t.Error("there are policies without a [[tube]]")
	}
}

// What is wrong with a [[tube]], or cannot be meant, is said with its line.
func TestTubeMistakes(t *testing.T) {
	const of = "[[tube]]\nmatch = 'a'\n"
	const expiring = of + "expire = '1h'\nexpired = 'dead_letter'\ndead_letter = 'grave'\n"
	for text, want := range map[string]string{
		"[[tube]]\nmax_jobs = 1":         ":1: tube.match: missing",
		"tube = 1":                       "[[tube]]",
		of + "max_jobs = -1":             ":3: tube.max_jobs = -1: too small",
		of + "max_bytes = '1KB'":         ":3: tube.max_bytes",
		of + "max_jobs = 1\nfull = 'no'": ":4: tube.full",
		of + "full = 'oldest'": `:3: tube.full = "oldest": nothing makes ` +
			`the tube full`,
		of + "count = 'timeouts'": `:3: tube.count = "timeouts": nothing is ` +
			`counted`,
		of + "dead_letter = 'delete'": ":3: tube.dead_letter = \"delete\": there " +
			"are no dead letters",
		of + "dead_letter = 'graveyard'": "there are no dead letters",
		of + "dead_letter = 'drop'": ":3: tube.dead_letter = \"drop\": a word of " +
			"queue.dead_letter",
		of + "dead_letter = 7": ":3: tube.dead_letter = 7: this is a whole " +
			"number",
		of + "dead_letter = 'a b'": "no tube can have this name",
		of + "expire_from = 'ready'": ":3: tube.expire_from = \"ready\": no job " +
			"gets too old",
		of + "expired = 'dead_letter'":                                                                             ":3: tube.expired = \"dead_letter\": no job gets too old",
		of + "expire = '1h'\nexpired = 'dead_letter'":                                                              "set dead_letter to its name",
		of + "max_deliveries = 1\ndead_letter = 'a'":                                                               `:4: tube.dead_letter = "a": dead letters of tube "a" would come back to it`,
		"[[tube]]\nmatch = '*'\nmax_deliveries = 1\ndead_letter = 'b'":                                             `:4: tube.dead_letter = "b": dead letters of tube "b" would come back`,
		of + "max_deliveries = 1\ndead_letter = 'b'\n[[tube]]\nmatch = 'b'\nmax_deliveries = 1\ndead_letter = 'a'": ":4: tube.dead_letter",
		of + "retry = '10'":                     ":3: tube.retry",
		of + "retry = '2s..1s'":                 "shorter than the first",
		of + "retry = '0s'":                     "too small",
		of + "expire = '9ms'":                   ":3: tube.expire = \"9ms\": shorter than a second",
		of + "expire = 9":                       ":3: tube.expire",
		of + "burst = 2":                        ":3: tube.burst = 2: there is no rate",
		of + "rate = 2000000":                   ":3: tube.rate = 2000000: too large",
		of + "max_deliveries = 1\nretry = '1s'": `:4: tube.retry = "1s": no job is tried again`,
		of + "retry = '1h..2h'\n\nexpire = '1h'": `:3: tube.retry = "1h..2h": a job that comes back is too old ` +
			`before it is tried again: expire = "1h" is no longer`,
		expiring + "[[tube]]\nmatch = 'g*'\nmax_jobs = 5\nexpire = '1h'": `:5: tube.dead_letter = "grave": its ` +
			`policy, in line 6, deletes`,
		of + "max_reserved = '1'":                 ":3: tube.max_reserved",
		of + "weight = -1":                        ":3: tube.weight = -1: too small",
		of + "weight = 1000001":                   ":3: tube.weight = 1000001: too large",
		of + "weight = 0.5":                       ":3: tube.weight",
		of + "weigth = 2":                         "unknown key",
		of + "aging = '10'":                       ":3: tube.aging",
		of + "aging = '25h'":                      ":3: tube.aging",
		of + "aging = '1500us'":                   ":3: tube.aging = \"1500us\": not a whole number of milliseconds",
		of + "max_jobs = 1\n" + of + "retry='1s'": ":5: tube.match = \"a\": the same pattern as in line 2",
	} {
		if got, _ := refused(t, "", text); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want something with %q", text, got, want)
		}
	}
}

// What only looks like a contradiction is none.
func TestTubesThatAreNoMistakes(t *testing.T) {
	const of = "[[tube]]\nmatch = 'a'\n"
	for _, text := range []string{
		of + "max_deliveries = 1\ncount = 'timeouts'\nretry = '1s'", // a release is tried again
		of + "retry = '59m..9h'\nexpire = '1h'",
		of + "max_reserved = 9\nmax_jobs = 3\nrate = 1\nburst = 99\nweight = 2\naging = '1s'",
		of + "expire = '1h'\nexpired = 'dead_letter'\ndead_letter = 'b'\n[[tube]]\nmatch = 'b'\nexpire = '2h'",
		// there they have the time that is left
		of + "expire = '1h'\nmax_deliveries = 2\ndead_letter = 'b'\n[[tube]]\nmatch = 'b'\nexpire = '1h'",
	} {
		if _, err := load(t, "", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Printed policies are read as they were.
func TestCheckConfigShowsPolicies(t *testing.T) {
	const text = "tube = [{ match = 'a*', max_jobs = 3, full = 'least', retry = '1s..1m30s' }, { match = 'b', retry " +
		"= '2s', expire = '90s', expire_from = 'ready', max_deliveries = 2, dead_letter = 'delete', rate = 3, max_reserved = 4, weight = 5, aging = '6s' }]"
	c := must.Get(load(t, "", text))
	again := must.Get(load(t, "", printed(t, c)))
	for i := range c.Tubes {
		c.Tubes[i].at, again.Tubes[i].at = Origin{}, Origin{}
	}
	if !reflect.DeepEqual(again.Tubes, c.Tubes) {
		t.Errorf("read %+v, want %+v; printed:\n%s", again.Tubes, c.Tubes, printed(t, c))
	}
}
