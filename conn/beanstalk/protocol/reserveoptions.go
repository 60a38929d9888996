package protocol

import (
	"math"
	"strconv"

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

// AppendTold formats a job with what is told of it.
func AppendTold(out []byte, id uint64, size uint32, about *queue.About, small []byte,
	large [][]byte) ([]byte, [][]byte) {
	out = strconv.AppendUint(append(out, "RESERVED "...), id, 10)
	out = strconv.AppendUint(append(out, ' '), uint64(size), 10)
	out = Escape(append(out, " tube="...), about.Tube)
	out = strconv.AppendUint(append(out, " reserves="...), uint64(about.Reserves), 10)
	for name, value := range about.Tags.All() {
		out = appendTag(out, name, value)
	}
	out = append(out, CRLF...)
	if large != nil {
		return out, large
	}
	return append(append(out, small...), CRLF...), nil
}
