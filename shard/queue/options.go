package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// Options are what a put says that a plain one cannot say, or a reserve. Times are in nanoseconds.
type Options struct {
	Delay      int64 // instead of Op.Delay, which is the same in whole seconds, rounded up
	TTR        int64 // likewise of Op.TTR
	Expire     int64 // from the put until the job is deleted, unless somebody holds it; 0: never
	Deliveries uint32
	Key        []byte // taken in the tube while the job lives (keys.go)
	KeyFor     int64  // and at least so long from the put
	Once       []byte // names the put, for whoever sends it again because the answer was lost
	Tags       Tags   // reserve: that it asks for
	Tick       *Tick  // PutTick, NoteTick: the schedule whose tick it is; Op.Tube is its tube
	Timeout    int64  // how long a reserve waits, or a put for room (policy_full.go); for the owner of the wait

	key, once hash
	hashed    bool
}

// Copy makes t what from is, with copies of what that refers to, in memory of its own that it may have.
func (t *Options) Copy(from *Options) {
	key, once, tags := append(t.Key[:0], from.Key...), append(t.Once[:0], from.Once...),
		append(t.Tags[:0], from.Tags...)
	*t = *from
	t.Key, t.Once, t.Tags = key, once, tags
}

// OnceFor is how long the name of a put is known.
const OnceFor = 300 * second

// options is what holds for one job beside its record, if it has more than one key. A job that has one
// key, and nothing else, needs no options.
type jobOptions struct {
	key, once  uint32 // records of the table of keys, or 0
	deliveries uint32 // after so many it is a dead letter; 0: as the tube's policy says
	short      uint32 // by so many milliseconds the TTR is less than the whole seconds of the job's record
	expires    int64  // on the clock of the queue; 0: never
}

// extras are what a State has for puts with options; a State that has had none has no extras.
type extras struct {
	// by the job's slot: a record of the table of keys, or, with optionsBit, options; 0 for none
	refs    cells.Positions
	options cells.Slab[jobOptions]
	keys    keys
	windows
	dying cells.Timeline // jobs that get too old, by when
}

const optionsBit = 1 << 31

func (s *State) needExtras() *extras {
	if s.extra == nil {
		s.extra = &extras{options: cells.NewSlab[jobOptions](), keys: newKeys(s.Secret)}
	}
	return s.extra
}

// refOf is what refs have for a job.
func (x *extras) refOf(slot uint32) uint32 {
	ref, _ := x.refs.Find(slot)
	return ref
}

// of are the options of a job, or what they would be if it had some.
func (x *extras) of(slot uint32) jobOptions {
	switch ref := x.refOf(slot); {
	case ref&optionsBit != 0:
		return *x.options.At(ref &^ optionsBit)
	case ref != 0 && x.keys.At(ref).is(keyOnce):
		return jobOptions{once: ref}
	default:
		return jobOptions{key: ref}
	}
}

// unref takes a record of the table of keys from a job.
func (x *extras) unref(slot, ref uint32) {
	at := x.refs.Get(slot)
	if at&optionsBit == 0 {
		x.refs.Set(slot, 0)
	} else if t := x.options.At(at &^ optionsBit); t.key == ref {
		t.key = 0
	} else {
		t.once = 0
	}
}

// optionsOf finds the options of a job; nil if it has none.
func (s *State) optionsOf(slot uint32) *jobOptions {
	if s.extra == nil {
		return nil
	}
	if ref := s.extra.refOf(slot); ref&optionsBit != 0 {
		return s.extra.options.At(ref &^ optionsBit)
	}
	return nil
}

// setOptions gives a new job options, or the one key that it has.
func (s *State) setOptions(slot uint32, t jobOptions) {
	if t == (jobOptions{}) {
		return
	}
	x := s.needExtras()
	x.refs.Cover(slot)
	if one := t.key | t.once; t == (jobOptions{key: one}) || t == (jobOptions{once: one}) {
		x.refs.Set(slot, one)
		return
	}
	ref := x.options.Alloc()
	*x.options.At(ref) = t
	x.refs.Set(slot, ref|optionsBit)
	if t.expires != 0 {
		x.dying.Cover(slot)
		x.dying.Schedule(slot, t.expires)
	}
}

// needOptions finds the options of a job, or gives it some, which have the job's key then.
func (s *State) needOptions(slot uint32) *jobOptions {
	if t := s.optionsOf(slot); t != nil {
		return t
	}
	x := s.needExtras()
	x.refs.Cover(slot)
	had, at := x.of(slot), x.options.Alloc()
	x.refs.Set(slot, at|optionsBit)
	t := x.options.At(at)
	*t = had
	return t
}

// ttrOf is how long a job may be held, in nanoseconds.
func (s *State) ttrOf(slot uint32) int64 {
	d := int64(s.job(slot).ttr) * second
	if s.extra != nil {
		d -= s.shortBy(slot)
	}
	return d
}

// shortBy is by how much a job may be held shorter than its whole seconds.
func (s *State) shortBy(slot uint32) int64 {
	if t := s.optionsOf(slot); t != nil {
		return int64(t.short) * millisecond
	}
	return 0
}

// shortOf is by how much a TTR is less than whole seconds.
func shortOf(ttr int64) uint32 {
	return uint32((second - ttr%second) % second / millisecond)
}

// wholeSeconds rounds up.
func wholeSeconds(d int64) uint32 { return uint32((d + second - 1) / second) }

// agree gives a new job what its put has said. The job has no place yet.
func (s *State) agree(slot uint32, op *Op) {
	o := op.Options
	t := jobOptions{short: shortOf(o.TTR), deliveries: o.Deliveries}
	if o.Expire > 0 {
		t.expires = s.now + o.Expire
	}
	if len(o.Key) > 0 {
		t.key = s.takeKey(o.key, op.ID, 0, until(s.now, o.KeyFor))
	}
	if len(o.Once) > 0 {
		t.once = s.takeKey(o.once, op.ID, keyOnce, until(s.now, OnceFor))
	}
	s.setOptions(slot, t)
}

func until(now, length int64) int64 {
	if length == 0 {
		return 0
	}
	return now + length
}

// describeOptions adds to the scratch record what a job's options say. Keys are in the record of the put
// only.
func (s *State) describeOptions(slot uint32) {
	t := s.optionsOf(slot)
	if t == nil || t.short == 0 && t.expires == 0 && t.deliveries == 0 {
		return
	}
	r := &s.recordOptions
	*r = storage.PutOptions{Deliveries: t.deliveries}
	if t.short > 0 {
		r.TTR = s.ttrOf(slot)
	}
	if t.expires != 0 {
		r.Expires = t.expires + s.Epoch
	}
	s.recordItemOf().Options = r
}

// describeKeys adds what only the record of a put has.
func (s *State) describeKeys(slot uint32, o *Options) {
	if !o.keyed() {
		return
	}
	t, r := s.extra.of(slot), &s.recordKeys
	*r = storage.Keys{}
	if len(o.Key) > 0 {
		r.Key, r.KeyUntil = o.Key, s.wallOf(t.key)
	}
	if len(o.Once) > 0 {
		r.Once, r.OnceUntil = o.Once, s.wallOf(t.once)
	}
	s.recordItemOf().Keys = r
}

// recordItemOf is the item of the scratch record.
func (s *State) recordItemOf() *storage.Item {
	if s.record.Item == nil {
		s.recordItem = storage.Item{Done: s.recordItem.Done[:0], Returned: s.recordItem.Returned[:0]}
		s.record.Item = &s.recordItem
	}
	return &s.recordItem
}

// restoreOptions gives a job back what the log has kept of its put, after the rest of its item.
func (s *State) restoreOptions(slot uint32, r *storage.Item) {
	s.restoreItem(slot, r)
	if r == nil || r.Options == nil && r.Keys == nil {
		return
	}
	var t jobOptions
	j := s.job(slot)
	if o := r.Options; o != nil {
		if t.deliveries = o.Deliveries; o.TTR > 0 {
			j.ttr, t.short = wholeSeconds(o.TTR), shortOf(o.TTR)
		}
		t.expires = s.queueTime(o.Expires)
	}
	name := s.tubeOf(j).name
	if k := r.Keys; k != nil && !r.Moved && (r.Route == nil || r.Route.To == "" || s.lastTrace(slot).Why == ForMove) {
		if len(k.Key) > 0 {
			end := s.queueTime(k.KeyUntil)
			if end <= s.now {
				end = 0
			}
			t.key = s.takeKey(s.hashOf(ofKey, name, k.Key), j.id(), 0, end)
		}
		if len(k.Once) > 0 && s.queueTime(k.OnceUntil) > s.now {
			t.once = s.takeKey(s.hashOf(ofOnce, name, k.Once), j.id(), keyOnce, s.queueTime(k.OnceUntil))
		}
	}
	s.setOptions(slot, t)
}

// queueTime is a moment of the wall clock on the clock of the queue; 0 is none.
func (s *State) queueTime(wall int64) int64 {
	if wall == 0 {
		return 0
	}
	return max(1, wall-s.Epoch)
}

// dropOptions is told of a job that ends.
func (s *State) dropOptions(slot uint32) {
	x := s.extra
	ref := x.refOf(slot)
	if ref == 0 {
		return
	}
	s.giveUpKeys(slot)
	if ref&optionsBit != 0 {
		if x.options.At(ref&^optionsBit).expires != 0 {
			x.dying.Schedule(slot, 0)
		}
		x.options.Release(ref &^ optionsBit)
	}
	x.refs.Set(slot, 0)
}

// A put may say how old its job may get, and how often it may be delivered. The tube's policy may say the
// same of all its jobs: then what is stricter counts. Jobs that get too old stand in a timeline, each
// by itself, unless somebody holds it, or only further groups have it.

// held is told of a job that somebody has got: its time may pass.
func (s *State) held(slot uint32) {
	if t := s.optionsOf(slot); t != nil && t.expires != 0 {
		s.extra.dying.Schedule(slot, 0)
	}
}

// unheld is told of a job that its holder no longer has.
func (s *State) unheld(slot uint32) {
	if t := s.optionsOf(slot); t != nil && t.expires != 0 {
		s.extra.dying.Schedule(slot, t.expires)
	}
}

// outlive takes its end from a job that goes elsewhere because of its age: there it would end at once.
func (s *State) outlive(slot uint32) {
	if t := s.optionsOf(slot); t != nil && t.expires != 0 {
		s.extra.dying.Schedule(slot, 0)
		t.expires = 0
	}
}

// serveDeaths ends jobs that are too old, unless somebody holds them.
func (s *State) serveDeaths() {
	for !s.spent() && s.extra.dying.Due(s.now) {
		slot := s.extra.dying.Top().Slot
		if s.job(slot).state() >= Passed || s.interred(slot) {
			s.spend(looking)
			s.extra.dying.Schedule(slot, 0)
			continue
		}
		s.spend(ending)
		s.age(slot)
	}
}

// mostOf is how often a job may be delivered, if others may be so often; 0 is no limit.
func (s *State) mostOf(slot uint32, others int) int {
	if t := s.optionsOf(slot); t != nil && t.deliveries > 0 && (others == 0 || int(t.deliveries) < others) {
		return int(t.deliveries)
	}
	return others
}
