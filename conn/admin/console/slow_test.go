package console

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"beanfield/conn/slow"
	"beanfield/storage/tally"
)

// What was slow is shown with what it waited for, the latest first, and to each who may see it.
func TestSlow(t *testing.T) {
	log := slow.New(time.Second)
	for i, tube := range []string{"own", "other", ""} {
		log.Tell(slow.Command{
			At: time.UnixMilli(1000), Verb: "put", Tube: tube, Count: i + 1, Client: "10.0.0.1:5", Who: "somebody",
			Turn: time.Second, Ran: 2 * time.Second, Disk: 3 * time.Second,
		})
	}
	log.Refuse(slow.Refusal{At: time.UnixMilli(1000), Line: "x", Reason: slow.Unknown})
	b := newBench(t, func(o *Options) {
		o.Slow = log
	})
	for name, want := range map[string]struct {
		grants string
		shown  string
		count  uint64
	}{
		"everybody":     {"", "[3  somebody][2 other somebody][1 own somebody]", 6},
		"admin":         {"*: admin, stats", "[3  somebody][2 other somebody][1 own somebody]", 6},
		"stats":         {"*: stats", "[3  ][2 other ][1 own ]", 6},
		"stats of one":  {"own: stats", "[1 own ]", 0},
		"without stats": {"own: put", "", 0},
	} {
		b.may(want.grants)
		a := shown[slowAnswer](b, "slow")
		shown := ""
		for _, k := range a.Commands {
			shown += fmt.Sprintf("[%d %s %s]", k.Count, k.Tube, k.Who)
			if k.At != 1000 || k.Took != 6 || k.Turn != 1 || k.Ran != 2 || k.Disk != 3 ||
				(k.Client == "") != (k.Who == "") {
				t.Errorf("%s: shown is %+v", name, k)
			}
		}
		if shown != want.shown || a.Count != want.count || a.Bound != 1 || a.Hidden != (want.count == 0) {
			t.Errorf("%s: shown is %s, want %s; %+v", name, shown, want.shown, a)
		}
		everything := name == "everybody" || name == "admin"
		if r := shownRefused(b); r.Hidden == everything || len(r.Commands) != map[bool]int{true: 1}[everything] {
			t.Errorf("%s: what was refused is %+v", name, r)
		}
	}
}

// shownRefused is what was refused: for whoever may do everything.
func shownRefused(b *bench) refusedAnswer { return shown[refusedAnswer](b, "refused") }

// Without a log of slow commands there are none.
func TestNothingSlow(t *testing.T) {
	b := newBench(t)
	if a := shown[slowAnswer](b, "slow"); a.Bound != 0 || a.Count != 0 || len(a.Commands) > 0 {
		t.Errorf("the answer is %+v", a)
	}
}

// What commands took is shown by bucket; those that nobody has sent are left out.
func TestLatency(t *testing.T) {
	var puts tally.Spread
	puts.Add(tally.Time(500), 3)  // bucket 0: up to a microsecond
	puts.Add(tally.Time(1900), 2) // just below 2^-19 s: bucket 4
	puts.Add(tally.Time(20e9), 1) // beyond the last bound
	var r tally.Reading
	puts.ReadTo(&r)
	b := newBench(t, func(o *Options) {
		o.Latency = func() map[string]*tally.Reading { return map[string]*tally.Reading{"put": &r, "kick": {}} }
	})
	a := shown[latencyAnswer](b, "latency")
	want := map[string][][2]uint64{"put": {{0, 3}, {4, 2}, {tally.Buckets - 1, 1}}}
	if !reflect.DeepEqual(a.Commands, want) || a.At == 0 || len(a.Commits) > 0 {
		t.Errorf("the answer is %+v", a)
	}
}
