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
	Terms           queue.Terms
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
	{"tube", func(p *PutLine, _, v []byte) (ok bool) {
		p.Tube, ok = p.unescape(v)
		return ok && queue.ValidName(p.Tube)
	}},
	{"key", func(p *PutLine, _, v []byte) (ok bool) { return p.key(&p.Terms.Key, v) }},
	{"key-for", func(p *PutLine, _, v []byte) bool { return nanoseconds(&p.Terms.KeyFor, v, 1, MostFor) }},
	{"once", func(p *PutLine, _, v []byte) (ok bool) { return p.key(&p.Terms.Once, v) }},
	{"expire", func(p *PutLine, _, v []byte) bool { return JobTime(&p.Terms.Expire, v, 1) }},
	{"deliveries", func(p *PutLine, _, v []byte) bool {
		n, ok := Number(v, math.MaxInt32)
		p.Terms.Deliveries = uint32(n)
		return ok && n > 0
	}},
	{"tag.", func(p *PutLine, rest, v []byte) bool { return p.tag(rest, v) }},
}

// putOptions are those of a put-with. The job in a put-batch says the same in front of its size.
var putOptions = append(slices.Clip(jobOptions),
	Option[PutLine]{"pri", func(p *PutLine, _, v []byte) bool {
		n, ok := Number(v, math.MaxUint32)
		p.Pri = uint32(n)
		return ok
	}},
	Option[PutLine]{"wait", func(p *PutLine, _, v []byte) bool { return JobTime(&p.Terms.Timeout, v, 0) }},
	Option[PutLine]{"delay", func(p *PutLine, _, v []byte) bool { return p.setDelay(v) }},
	Option[PutLine]{"ttr", func(p *PutLine, _, v []byte) bool { return p.setTTR(v) }},
)

func (p *PutLine) setDelay(v []byte) bool { return JobTime(&p.Terms.Delay, v, 0) }

func (p *PutLine) setTTR(v []byte) bool {
	ok := JobTime(&p.Terms.TTR, v, 0)
	if p.Terms.TTR == 0 {
		p.Terms.TTR = second // as a put
	}
	return ok
}

// JobTime reads a time that a job may have, from so many milliseconds on, as nanoseconds.
func JobTime(to *int64, value []byte, least uint64) bool {
	return nanoseconds(to, value, least, math.MaxUint32*1000)
}

// nanoseconds reads a time that may have so many milliseconds.
func nanoseconds(to *int64, value []byte, least, most uint64) bool {
	ms, ok := Seconds(value)
	*to = int64(ms) * millisecond
	return ok && ms >= least && ms <= most
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
	*p = PutLine{Pri: usualPri, texts: p.texts, Terms: queue.Terms{TTR: usualTTR, Tags: p.Terms.Tags[:0]}}
}

func (p *PutLine) read(o Options, known []Option[PutLine]) (ok bool) {
	if !Read(o, known, p) || p.Terms.KeyFor > 0 && p.Terms.Key == nil {
		return false
	}
	p.Delay, p.TTR = wholeSeconds(p.Terms.Delay), wholeSeconds(p.Terms.TTR)
	p.Terms.Tags, ok = p.pack(p.Terms.Tags)
	return ok
}

// Plain says that a put without options can say the same, but for the tube.
func (p *PutLine) Plain() bool {
	t := &p.Terms
	return t.Delay == int64(p.Delay)*second && t.TTR == int64(p.TTR)*second && t.Expire == 0 && t.Deliveries == 0 &&
		len(t.Key)+len(t.Once)+len(t.Tags) == 0
}

func wholeSeconds(d int64) uint32 { return uint32((d + second - 1) / second) }
