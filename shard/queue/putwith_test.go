package queue

import (
	"fmt"
	"strings"

	"beanfield/shard/queue/naive"
)

// putSaying is a put with any of tube=, pri=, delay=, ttr=, key=, for=, once=, expire=, deliveries=, tag=name:value
// and size=. Times are durations.
func putSaying(body string, args []string) Op {
	op := Op{Kind: Put, Pri: 1024, TTR: 60, Options: &Options{TTR: 60 * second}}
	for _, a := range args {
		name, v, _ := strings.Cut(a, "=")
		switch name {
		case "tube":
			op.Tube = v
		case "pri":
			op.Pri = uint32(number(v))
		case "delay":
			op.Options.Delay = duration(v)
			op.Delay = wholeSeconds(op.Options.Delay)
		case "ttr":
			op.Options.TTR = duration(v)
			op.TTR = wholeSeconds(op.Options.TTR)
		case "key":
			op.Options.Key = []byte(v)
		case "for":
			op.Options.KeyFor = duration(v)
		case "once":
			op.Options.Once = []byte(v)
		case "expire":
			op.Options.Expire = duration(v)
		case "wait":
			op.Options.Timeout = duration(v)
		case "deliveries":
			op.Options.Deliveries = uint32(number(v))
		case "tag":
			k, value, _ := strings.Cut(v, ":")
			op.Options.Tags = op.Options.Tags.With([]byte(k), []byte(value))
		case "size":
			body = strings.Repeat("x", int(number(v)))
		default:
			panic("no such option: " + a)
		}
	}
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
	o := &Options{
		Delay:      choose[int64](x, "delay", 0, 0, 250, 1000, 2250) * millisecond,
		TTR:        choose[int64](x, "ttr", 1000, 1250, 250, 3000) * millisecond,
		KeyFor:     choose[int64](x, "key-for", 0, 0, 1, 5) * second,
		Expire:     choose[int64](x, "expire", 0, 0, 0, 2, 6) * second,
		Deliveries: choose[uint32](x, "deliveries", 0, 0, 0, 1, 2),
	}
	if k := choose(x, "key", "", "k", "l", "m"); k != "" {
		o.Key = []byte(k)
	} else {
		o.KeyFor = 0
	}
	if n := choose(x, "once", "", "", "o", "p"); n != "" {
		o.Once = []byte(n)
	}
	o.Tags = tagsFrom(x.tags(2))
	op.Options, op.Delay, op.TTR = o, wholeSeconds(o.Delay), wholeSeconds(o.TTR)
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
