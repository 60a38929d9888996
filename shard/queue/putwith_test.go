package queue

import (
	"fmt"
	"strings"

	"beanfield/shard/queue/naive"
)

// putSaying is a put with any of tube=, pri=, delay=, ttr=, key=, for=, once=, expire=, deliveries=, tag=name:value
// and size=. Times are durations.
func putSaying(body string, args []string) Op {
	o := &Options{TTR: 60 * second}
	op := Op{Kind: Put, Pri: 1024, Options: o}
	times := map[string]*int64{
		"delay": &o.Delay, "ttr": &o.TTR, "for": &o.KeyFor, "expire": &o.Expire, "wait": &o.Timeout,
	}
	counts := map[string]*uint32{"pri": &op.Pri, "deliveries": &o.Deliveries}
	texts := map[string]*[]byte{"key": &o.Key, "once": &o.Once}
	for _, a := range args {
		name, v, _ := strings.Cut(a, "=")
		switch {
		case times[name] != nil:
			*times[name] = duration(v)
		case counts[name] != nil:
			*counts[name] = uint32(number(v))
		case texts[name] != nil:
			*texts[name] = []byte(v)
		case name == "tube":
			op.Tube = v
		case name == "tag":
			k, value, _ := strings.Cut(v, ":")
			o.Tags = o.Tags.With([]byte(k), []byte(value))
		case name == "size":
			body = strings.Repeat("x", int(number(v)))
		default:
			panic("no such option: " + a)
		}
	}
	op.Delay, op.TTR = wholeSeconds(o.Delay), wholeSeconds(o.TTR)
	op.Data, op.Size = []byte(body), uint32(len(body))
	return op
}

// saidTo is how a put is answered.
func saidTo(op *Op) string {
	switch op.Status {
	case OK:
		return fmt.Sprint(op.ID)
	case Exists:
		return fmt.Sprint("exists ", op.ID)
	}
	return answerOf[op.Status]
}

// saidOf is what a put says, for the model.
func saidOf(o *Options) *naive.Said {
	if o == nil {
		return nil
	}
	return &naive.Said{
		Delay: o.Delay, TTR: o.TTR, Key: string(o.Key), Once: string(o.Once), KeyFor: o.KeyFor, OnceFor: OnceFor,
		Expires: o.Expire, MaxDeliveries: int(o.Deliveries),
	}
}

// options gives every third put of a machine options.
func (x *machine) options(op *Op) {
	if x.serves || x.pick(3, "options") > 0 {
		return
	}
	with := putSaying("", strings.Fields(x.fill(0, "delay={0|0|250|1000|2250}ms ttr={1000|1250|250|3000}ms "+
		"{|key={k|l|m} for={0|0|1|5}s} expire={0|0|0|2|6}s deliveries={0|0|0|1|2} {||once=o|once=p} {tagged}")))
	op.Options, op.Delay, op.TTR = with.Options, with.Delay, with.TTR
}

// compareKeys compares what is taken, and what of it the log has without jobs.
func (x *machine) compareKeys() {
	if x.m.Keys == nil || x.w.s.yard.jobs > 0 {
		return
	}
	spent := 0
	for _, k := range x.m.Keys {
		if k.Spent && !k.Lost {
			spent++
		}
	}
	taken := 0
	if x.w.s.extra != nil {
		taken = int(x.w.s.extra.keys.N)
	}
	if taken != len(x.m.Keys) || len(x.w.log.Spent) != spent {
		x.w.t.Fatalf("%d keys are taken, want %d; the log has %d without jobs, want %d", taken, len(x.m.Keys),
			len(x.w.log.Spent), spent)
	}
}
