package router

import (
	"cmp"
	"slices"

	"beanfield/shard/queue"
)

// A reserve of several jobs runs as one of a single job does: offers, claims, a wait if there is
// none. Each shard offers as many as are wanted. The best of all are claimed from their shards, in
// one round, up to the worst of them and no further. Once a job is there, the session waits for no
// other: if its wait has brought it, it asks once what else there is.

// Several is what such a reserve has got. It is valid until the session's next call, or Trim.
type Several struct {
	Jobs []Reserved

	most    int
	options *queue.Options // that the jobs must have; nil if any will do, and nothing is to be told of them
	room    int            // for bodies
	fresh   int            // how many of Jobs there were when the claims began
	offers  []offer
}

// Reserved is one of its jobs.
type Reserved struct {
	ID        uint64
	Pri, Size uint32
	tag       uint64
	Small     []byte
	Large     [][]byte
	About     *queue.About
}

type offer struct {
	shard     int
	tag       uint64 // in a fair scheduler
	pri, size uint32
	id        uint64
	last      bool // the shard may have others behind it
}

// compare is the order in which jobs are handed out. Tags wrap around.
func (o offer) compare(with offer) int {
	return cmp.Or(cmp.Compare(int64(o.tag-with.tag), 0), cmp.Compare(o.pri, with.pri), cmp.Compare(o.id, with.id))
}

func (o offer) before(with offer) bool { return o.compare(with) < 0 }

// ReserveSeveral is the command for up to so many jobs over any number of shards. When it is complete
// the session either has a Reservation, whose jobs are in Several, or is Waiting. With options it asks for
// jobs with their tags, and to be told more of them; a copy of the options is kept.
func (s *Session) ReserveSeveral(most int, options *queue.Options, poll bool) bool {
	s.Several = newSeveral(most, options)
	return s.reserve(poll)
}

func newSeveral(most int, options *queue.Options) *Several {
	v := &Several{most: most, room: queue.BatchBytes}
	if options != nil {
		v.options = new(queue.Options)
		v.options.Copy(options)
	}
	return v
}

// wants are the options of a reserve, if it has any.
func (v *Several) wants() *queue.Options {
	if v == nil {
		return nil
	}
	return v.options
}

func (v *Several) tags() queue.Tags {
	if t := v.wants(); t != nil {
		return t.Tags
	}
	return nil
}

// BeginWaitForSeveral notes that a ReserveSeveral operation of the latest batch has ended in a wait.
func (s *Session) BeginWaitForSeveral(most int, options *queue.Options) {
	s.BeginWait()
	s.Several = newSeveral(most, options)
}

// collect takes in the answers of a batch of a script.
func (v *Several) collect(shard int, b *queue.Batch) {
	for i := range b.Ops {
		op := &b.Ops[i]
		if op.Status != queue.OK || op.Kind != queue.OfferSeveral && op.Kind != queue.ClaimSeveral {
			continue
		}
		for _, k := range b.TakenBy(op) {
			if op.Kind == queue.OfferSeveral {
				v.offers = append(v.offers, offer{shard, k.Tag, k.Pri, k.Size, k.ID, op.Partial})
				continue
			}
			if op.Parts != nil { // the one that had to be read
				k.Large = op.Parts
			}
			v.add(Reserved{k.ID, k.Pri, k.Size, k.Tag, b.Bytes[k.From:k.To], k.Large, k.About})
		}
	}
}

// add takes in a job, with a copy of its small body (B4).
func (v *Several) add(r Reserved) {
	r.Small = slices.Clone(r.Small)
	v.room -= int(r.Size)
	v.Jobs = append(v.Jobs, r)
}

// claimSeveral claims the best of what the shards have offered. If they have offered nothing, it is
// as with a reserve of one job; but if the wait has brought one, that is the answer.
func (s *Session) claimSeveral() bool {
	v := s.Several
	if len(v.offers) == 0 {
		return s.noneClaimed(true)
	}
	slices.SortFunc(v.offers, offer.compare)
	s.script.begin()
	v.fresh = len(v.Jobs)
	var claims []queue.Op
	in := map[int]int{} // the claim of a shard
	var worst offer
	for n, o := range v.offers {
		if have := v.fresh + n; have == v.most || have > 0 && int(o.size) > v.room {
			break
		}
		i, ok := in[o.shard]
		if !ok {
			i = len(claims)
			in[o.shard] = i
			claims = append(claims, queue.Op{Kind: queue.ClaimSeveral, Options: v.options, Several: new(queue.Several)})
		}
		claims[i].Limit++
		claims[i].Several.Room += o.size
		v.room -= int(o.size)
		if worst = o; o.last {
			break
		}
	}
	for _, f := range s.live {
		if i, ok := in[f.shard]; ok {
			c := claims[i].Several
			v.room += int(c.Room) // add takes it
			c.Tag, c.Pri, c.ID = worst.tag, worst.pri, worst.id
			s.script.add(f.shard, claims[i])
		}
	}
	if len(claims) == 0 {
		return s.noneClaimed(true)
	}
	return s.play((*Session).claimedSeveral)
}

// claimedSeveral has the jobs. If other clients took all of them, all shards are asked again.
func (s *Session) claimedSeveral() bool {
	v := s.Several
	if len(v.Jobs) == v.fresh {
		return s.noneClaimed(false)
	}
	slices.SortFunc(v.Jobs[v.fresh:], func(a, b Reserved) int {
		return offer{tag: a.tag, pri: a.Pri, id: a.ID}.compare(offer{tag: b.tag, pri: b.Pri, id: b.ID})
	})
	s.Reservation = Reservation{Status: queue.OK}
	return true
}

// noneClaimed goes on when no job has come: nobody offers one, or those offered were taken.
func (s *Session) noneClaimed(offered bool) bool {
	failed := slices.ContainsFunc(s.script.steps, func(k step) bool { return k.op.Status == queue.Failed })
	switch {
	case len(s.Several.Jobs) > 0:
		s.Reservation = Reservation{Status: queue.OK}
		return true
	case failed:
		s.Reservation = Reservation{Status: queue.Failed}
		return true
	case offered:
		return s.nothing()
	}
	return s.seekAgain()
}

// An operation on several jobs is one operation in each shard that owns some of them, played as a
// script: one shard after the other.

// DoSeveral applies op, a DeleteSeveral or its like, to jobs, if the authorizer allows it on their tubes.
// When it is complete, Did has the answer.
func (s *Session) DoSeveral(op queue.Op, ids []uint64, authorizer queue.Authorizer) bool {
	s.script.begin()
	s.script.authorizer, s.script.asked = authorizer, uint32(len(ids))
	parts := make([]queue.Several, len(s.r.shards))
	for n, id := range ids {
		i, ok := s.r.Owner(id)
		if !ok {
			i = s.UsedShard() // which says that there is none, unless its log has failed
		}
		if parts[i].IDs == nil {
			parts[i].IDs = make([]uint64, 0, len(ids)-n)
		}
		parts[i].IDs = append(parts[i].IDs, id)
	}
	for i := range parts {
		if parts[i].IDs != nil {
			op.Several = &parts[i]
			s.script.add(i, op)
		}
	}
	return s.play(nil)
}

// Doings are what an operation on several jobs has done. Where a log has failed, nobody knows.
type Doings struct {
	Done   int
	Others int // of those deleted, how many nobody held
	Not    int // were not there, or not the client's
	Denied int // of these, how many it has no right on
	Failed bool
}

// Did is how the DoSeveral that was the session's last call has ended.
func (s *Session) Did() (d Doings) {
	for i := range s.script.steps {
		op := &s.script.steps[i].op
		d.Done += int(op.Count)
		d.Others += op.Several.Apart
		d.Denied += op.Several.Refused
		d.Failed = d.Failed || op.Status == queue.Failed
	}
	d.Not = int(s.script.asked) - d.Done
	return d
}
