package protocol

import (
	"math"

	"beanfield/shard/queue"
)

// ReserveLine is what a reserve-with says. Memory that it has is used again.
type ReserveLine struct {
	Count   uint32 // jobs at most
	Options queue.Options
	texts
}

// Forever is the timeout of a reserve without one, in nanoseconds.
const Forever = math.MaxInt64

var reserveOptions = []Option[ReserveLine]{
	TimeOption("timeout", BoundsOf[ExactTimeout], func(r *ReserveLine, ns int64) { r.Options.Timeout = ns }),
	NumberOption("count", BoundsOf[Several], func(r *ReserveLine, n uint64) { r.Count = uint32(n) }),
	{Name: "tag.", Set: func(r *ReserveLine, rest, v []byte) bool { return r.tag(rest, v) }},
}

// Read takes in the options of a line. It reports false if they make no reserve.
func (r *ReserveLine) Read(o Options) (ok bool) {
	r.begin()
	r.Count, r.Options = 1, queue.Options{Timeout: Forever, Tags: r.Options.Tags[:0]}
	if !Read(o, reserveOptions, r) {
		return false
	}
	r.Options.Tags, ok = r.pack(r.Options.Tags)
	return ok
}
