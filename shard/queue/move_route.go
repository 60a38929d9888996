package queue

import (
	"encoding/binary"

	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// route is what a job has that has been a dead letter, has come from another shard, or is on its way to
// one: a record without pointers. All other jobs have none (flagRoute).
type route struct {
	job        uint32 // its slot
	hops       uint32 // how often it has come to another shard
	to, toSize uint32 // the tube that it leaves for, kept like a body
	traces     uint32 // likewise
	tracesSize uint32
	will       JobState // of a job on its way: what it will be when it has come
	cause      Cause    // and why it goes
	timed      bool     // its TTR is another one than it was put with
	loaded     bool     // somebody is taking it to its shard

	// What a job was that is to be something else where it goes; it is that again if it comes home before the next
	// restart.
	home      JobState // 0: what it will be
	homeDelay uint32
	homeKey   int64 // its deadline, if it was delayed
}

// travel is what a State has of jobs that come from other shards, and go to them.
type travel struct {
	routes   cells.Slab[route]
	of       map[uint32]uint32  // where the route of a job is, by the job's slot
	far      int                // of the routes, jobs that have come from another shard
	leaving  cells.List[uint32] // jobs that nobody takes to their shards yet
	underway cells.List[uint32] // those that somebody takes
	arriving cells.List[uint32] // jobs that are not visible yet
	trips    map[uint32]any     // of those that leave, Parcel.Trip
	ghosts   []storage.Job      // what the log has of jobs that live on elsewhere
	record   storage.Route      // scratch for the log
}

func newTravel() travel {
	return travel{routes: cells.NewSlab[route](), of: map[uint32]uint32{}, trips: map[uint32]any{}}
}

// Cause says why a job has gone to another tube.
type Cause uint8

// The causes. The first three are the counters by which a job was delivered too often.
const (
	ForReserves Cause = iota + 1
	ForTimeouts
	ForReleases
	ForAge
	ForMove    // a client has moved it
	ForReturns // the queue service has counted how often it came back
)

func (c Cause) String() string {
	switch c {
	case ForReserves:
		return "reserves"
	case ForTimeouts:
		return "timeouts"
	case ForReleases:
		return "releases"
	case ForAge:
		return "expired"
	case ForMove:
		return "moved"
	case ForReturns:
		return "returns"
	}
	return "unknown"
}

// Trace says when a job became a dead letter, or was moved, in which tube and why, and how often it had been delivered
// by then.
type Trace struct {
	From     string
	Why      Cause
	When     int64 // wall clock, cut to milliseconds
	Reserves uint32
	Timeouts uint32
	Releases uint32
}

// mostTraces is how many traces of a job are kept: the last ones.
const mostTraces = 8

// Traces unpacks storage.Route.Traces, the oldest first.
func Traces(packed []byte) (list []Trace) {
	for len(packed) > 0 {
		from, rest, ok := cutText(packed)
		if !ok {
			return list
		}
		var v [5]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(rest); n <= 0 {
				return list
			}
			rest = rest[n:]
		}
		t := Trace{From: string(from), Why: Cause(v[0]), When: int64(v[1]) * millisecond}
		t.Reserves, t.Timeouts, t.Releases = uint32(v[2]), uint32(v[3]), uint32(v[4])
		list, packed = append(list, t), rest
	}
	return list
}

func packTraces(list []Trace) (packed []byte) {
	for i := max(0, len(list)-mostTraces); i < len(list); i++ {
		t := &list[i]
		packed = appendText(packed, t.From)
		for _, v := range [...]uint64{uint64(t.Why), uint64(t.When / millisecond), uint64(t.Reserves),
			uint64(t.Timeouts), uint64(t.Releases)} {
			packed = binary.AppendUvarint(packed, v)
		}
	}
	return packed
}

// routeAt finds the route of a job; nil if it has none.
func (s *State) routeAt(slot uint32) *route {
	if s.job(slot).place&flagRoute == 0 {
		return nil
	}
	return s.travel.routes.At(s.travel.of[slot])
}

// routeOf finds the route of a job, or makes it.
func (s *State) routeOf(slot uint32) *route {
	if j := s.job(slot); j.place&flagRoute == 0 {
		j.place |= flagRoute
		ref := s.travel.routes.Alloc()
		s.travel.of[slot] = ref
		s.travel.routes.At(ref).job = slot
	}
	return s.routeAt(slot)
}

// dropRoute frees the route of a job that ends.
func (s *State) dropRoute(slot uint32) {
	y, ref := s.routeAt(slot), s.travel.of[slot]
	if y.hops > 0 {
		s.travel.far--
	}
	s.bodies.Drop(y.to, y.toSize)
	s.bodies.Drop(y.traces, y.tracesSize)
	s.travel.routes.Release(ref)
	delete(s.travel.of, slot)
}

// keyOf is the key of a job in the log.
func (s *State) keyOf(slot uint32) uint64 {
	id := s.job(slot).id()
	if y := s.routeAt(slot); y != nil {
		return storage.KeyOf(id, y.hops)
	}
	return id
}

// kept finds what is kept like a body. It is valid during the turn only.
func (s *State) kept(ref, size uint32) []byte {
	small, large := s.bodies.Get(ref, size)
	if large != nil {
		return large[0]
	}
	return small
}

// target is the tube that a job leaves for. It is valid during the turn only.
func (s *State) target(y *route) []byte { return s.kept(y.to, y.toSize) }

func (s *State) setTarget(y *route, to string) { s.keepText(&y.to, &y.toSize, []byte(to)) }

// keepText keeps a text like a body, in place of another one.
func (s *State) keepText(ref, size *uint32, text []byte) {
	s.bodies.Drop(*ref, *size)
	*ref, *size = 0, 0
	if len(text) > 0 {
		*ref, *size = s.bodies.Add(text, nil, len(text)), uint32(len(text))
	}
}

// trace notes that a job is a dead letter of its tube, or is moved from there.
func (s *State) trace(slot uint32, why Cause) {
	j, y := s.job(slot), s.routeOf(slot)
	t := s.rareOf(j)
	list := append(s.TracesOf(slot), Trace{s.tubeOf(j).name, why, s.now + s.Epoch, t.Reserves, t.Timeouts,
		t.Releases})
	s.setTraces(y, packTraces(list))
}

// untrace takes back the last trace of a job, which has not gone.
func (s *State) untrace(slot uint32) {
	if list := s.TracesOf(slot); len(list) > 0 {
		s.setTraces(s.routeAt(slot), packTraces(list[:len(list)-1]))
	}
}

// lastTrace is the last trace of a job; the zero Trace if it has none.
func (s *State) lastTrace(slot uint32) (last Trace) {
	if list := s.TracesOf(slot); len(list) > 0 {
		last = list[len(list)-1]
	}
	return last
}

func (s *State) setTraces(y *route, packed []byte) { s.keepText(&y.traces, &y.tracesSize, packed) }

// TracesOf says where a job has been a dead letter.
func (s *State) TracesOf(slot uint32) []Trace {
	y := s.routeAt(slot)
	if y == nil {
		return nil
	}
	return Traces(s.kept(y.traces, y.tracesSize))
}

// since is how much of a counter was counted since the job last came to another tube: it has another chance
// in the tube that it was moved to.
func (s *State) since(slot uint32, c policy.Counted) uint32 {
	r := s.rare(s.job(slot))
	n, last := c.Of(r.Reserves, r.Timeouts, r.Releases), s.lastTrace(slot)
	return n - min(n, c.Of(last.Reserves, last.Timeouts, last.Releases))
}

// routeRecord is what the log gets of a route. What it refers to is valid until the next turn.
func (s *State) routeRecord(slot uint32) *storage.Route {
	y, r := s.routeAt(slot), &s.travel.record
	*r = storage.Route{Hops: y.hops, Timed: y.timed, Traces: s.kept(y.traces, y.tracesSize)}
	if y.toSize > 0 {
		r.To = string(s.target(y))
	}
	return r
}

// restoreRoute gives a job back what the log has kept of its route.
func (s *State) restoreRoute(slot uint32, r *storage.Route) {
	y := s.routeOf(slot)
	if y.hops == 0 && r.Hops > 0 {
		s.travel.far++
	}
	y.hops, y.timed = r.Hops, r.Timed
	s.setTarget(y, r.To)
	s.setTraces(y, r.Traces)
}
