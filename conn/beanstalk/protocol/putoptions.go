package protocol

import (
	"math"
	"slices"

	"beanfield/shard/queue"
)

// PutLine is what a put-with says besides the size of the body, or a put-batch of one job. Memory that it has is
// used again.
type PutLine struct {
	Tube            []byte // empty: the one in use
	Pri, Delay, TTR uint32 // the times in whole seconds, rounded up
	Options         queue.Options
	texts
}

// What a put-with does not say.
const (
	usualPri = 1024
	usualTTR = 60 * second
)

// What a put-with may say at most.
const (
	MostKey = 200                // bytes of a key, or of the name of a put
	MostFor = 31 * 24 * 3600_000 // milliseconds that a key outlives its job
)

const millisecond, second = int64(1e6), int64(1e9)

// jobOptions are those of a put-with and of each job in a put-batch.
var jobOptions = []Option[PutLine]{
	{Name: "tube", Set: func(p *PutLine, _, v []byte) (ok bool) {
		p.Tube, ok = p.unescape(v)
		return ok && queue.ValidName(p.Tube)
	}},
	{Name: "key", Set: func(p *PutLine, _, v []byte) (ok bool) { return p.key(&p.Options.Key, v) }},
	TimeOption("key-for", Bounds{1, MostFor}, func(p *PutLine, ns int64) { p.Options.KeyFor = ns }),
	{Name: "once", Set: func(p *PutLine, _, v []byte) (ok bool) { return p.key(&p.Options.Once, v) }},
	TimeOption("expire", SomeTime, func(p *PutLine, ns int64) { p.Options.Expire = ns }),
	NumberOption("deliveries", Bounds{1, math.MaxInt32}, func(p *PutLine, n uint64) {
		p.Options.Deliveries = uint32(n)
	}),
	{Name: "tag.", Set: func(p *PutLine, rest, v []byte) bool { return p.tag(rest, v) }},
}

// putOptions are those of a put-with. The job in a put-batch says the same in front of its size.
var putOptions = append(slices.Clip(jobOptions),
	NumberOption("pri", AnyNumber, func(p *PutLine, n uint64) { p.Pri = uint32(n) }),
	TimeOption("wait", AnyTime, func(p *PutLine, ns int64) { p.Options.Timeout = ns }),
	TimeOption("delay", AnyTime, func(p *PutLine, ns int64) { p.Options.Delay = ns }),
	TimeOption("ttr", AnyTime, func(p *PutLine, ns int64) { p.Options.TTR = LeastTTR(ns) }),
)

// LeastTTR makes the TTR of a put that says 0 a second.
func LeastTTR(ns int64) int64 {
	if ns == 0 {
		return second
	}
	return ns
}

func (p *PutLine) key(to *[]byte, value []byte) (ok bool) {
	*to, ok = p.unescape(value)
	return ok && len(*to) > 0 && len(*to) <= MostKey
}

// Read takes in the options of a put-with. It reports false if they make no put.
func (p *PutLine) Read(o Options) bool {
	p.forget()
	return p.read(o, putOptions)
}

// forget makes it what a line without options says.
func (p *PutLine) forget() {
	p.begin()
	*p = PutLine{Pri: usualPri, texts: p.texts, Options: queue.Options{TTR: usualTTR, Tags: p.Options.Tags[:0]}}
}

func (p *PutLine) read(o Options, known []Option[PutLine]) (ok bool) {
	if !Read(o, known, p) || p.Options.KeyFor > 0 && p.Options.Key == nil {
		return false
	}
	p.Delay, p.TTR = wholeSeconds(p.Options.Delay), wholeSeconds(p.Options.TTR)
	p.Options.Tags, ok = p.pack(p.Options.Tags)
	return ok
}

// Plain says that a put without options can say the same, but for the tube.
func (p *PutLine) Plain() bool {
	t := &p.Options
	return t.Delay == int64(p.Delay)*second && t.TTR == int64(p.TTR)*second && t.Expire == 0 && t.Deliveries == 0 &&
		len(t.Key)+len(t.Once)+len(t.Tags) == 0
}

func wholeSeconds(d int64) uint32 { return uint32((d + second - 1) / second) }
