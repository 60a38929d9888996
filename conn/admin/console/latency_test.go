package console

import (
	"reflect"
	"testing"

	"beanfield/storage/tally"
)

// What commands took is shown by bucket; those that nobody has sent are left out.
func TestLatency(t *testing.T) {
	var puts tally.Spread
	puts.Add(tally.Time(500), 3)  // bucket 0: up to a microsecond
	puts.Add(tally.Time(1900), 2) // just below 2^-19 s: bucket 4
	puts.Add(tally.Time(20e9), 1) // beyond the last bound
	var r tally.Reading
	puts.ReadTo(&r)
	b := newBench(t, Rights{}, func(o *Options) {
		o.Latency = func() map[string]*tally.Reading { return map[string]*tally.Reading{"put": &r, "kick": {}} }
	})
	a := shown[latencyAnswer](b, "latency")
	want := map[string][][2]uint64{"put": {{0, 3}, {4, 2}, {tally.Buckets - 1, 1}}}
	if !reflect.DeepEqual(a.Commands, want) || a.At == 0 || len(a.Commits) > 0 {
		t.Errorf("the answer is %+v", a)
	}
}
