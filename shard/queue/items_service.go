package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// service is what a tube has for the queue service: its groups and consumers, and what
// finds its items. A tube has none until the queue service touches it, so for all other
// tubes it costs one look at a nil pointer.
type service struct {
	tube     *tube
	pair     string         // the tube with which it shares its limits: its rear queue, or whose rear queue it is
	limits   *policy.Limits // as the last operation told them
	first    *group         // the group that is the tube itself; nil until its first watch
	ended    bool           // the queue takes no more items
	index    *itemIndex     // never nil
	filtered []*consumer    // of the first group, connected; first the one that has waited longest

	views    []*view // the further groups, in the order of their numbers
	named    map[string]*view
	nextView uint32 // the number of the next
	passed   int    // jobs that only views have
	recorded bool   // the log has a record of the queue
	dropping int    // first groups that are being removed

	ending  bool // it is in State.ending
	visited int  // there: how many groups have been looked at
	changed bool // and whether they must be looked at again
}

// ask runs an operation of the queue service.
func (s *State) ask(b *Batch, op *Op) Status {
	if int(op.Ask.What) >= len(askings) {
		return Failed
	}
	return askings[op.Ask.What](s, b, op)
}

var askings = [...]func(s *State, b *Batch, op *Op) Status{
	0:      func(*State, *Batch, *Op) Status { return Failed },
	AskPut: (*State).askPut, AskGet: (*State).get, AskUnget: (*State).unget, AskDelete: (*State).askDelete,
	AskTruncate: (*State).askTruncate, AskSearch: (*State).search, AskCount: (*State).count, AskEnd: (*State).askEnd,
	AskWatch: (*State).askWatch, AskLeave: (*State).askLeave, AskSent: (*State).askSent,
	AskCommit: (*State).askCommit, AskNegative: (*State).askNegative, AskAttrs: (*State).askAttrs,
	AskDropGroup: (*State).askDropGroup, askFetched: (*State).askFetched,
}

// serviceOf finds the service of a tube, or makes it.
func (s *State) serviceOf(t *tube, l *policy.Limits) *service {
	if t.service == nil {
		t.service = &service{tube: t, pair: pairOf(t.name), index: s.newItemIndex(t)}
	}
	if old := t.service.limits; old != l {
		t.service.limits, s.shownFor = l, l.Forget
		if old != nil && old.MaxIdle != l.MaxIdle {
			for _, w := range t.service.views {
				s.retimeView(w)
			}
		}
	}
	return t.service
}

// serviceNamed finds the service of a queue; nil if there is no such tube, or the queue
// service has not touched it.
func (s *State) serviceNamed(a *Ask) *service {
	if t := s.tubes[a.Queue]; t != nil && t.service != nil {
		return s.serviceOf(t, a.Limits)
	}
	return nil
}

// length counts the items of a queue that have not ended.
func (t *tube) length() int {
	if t.service == nil {
		return t.jobs()
	}
	return t.jobs() + t.service.passed
}

// kept says that the queue has something that must outlive the process.
func (v *service) kept() bool { return v.first != nil || v.ended || len(v.views) > 0 }

// logQueue tells the log what a queue is like. The records of jobs may name views that
// have gone. So while there are jobs the queue's record stays, with the next view's
// number, and no number is used again.
func (s *State) logQueue(v *service) {
	if !s.Durable {
		return
	}
	if !v.kept() && (v.nextView == 0 || v.tube.length() == 0) {
		s.unlogQueue(v)
		return
	}
	q := storage.Queue{Tube: v.tube.name, Ended: v.ended, Notes: s.notes[v.tube.name], Next: v.nextView}
	if v.first != nil {
		q.First = v.first.name
	}
	for _, w := range v.views {
		q.Views = append(q.Views, storage.View{Number: w.number, Name: w.group.name, Start: w.start, Tags: w.tags})
	}
	s.Log.PutQueue(&q)
	v.recorded = true
}

// lessen does what is to be done when a queue has fewer items.
func (s *State) lessen(v *service) {
	s.mayBeOver(v)
	if v.recorded && !v.kept() && v.tube.length() == 0 && !s.discarding {
		s.unlogQueue(v) // its groups are gone, and now the last job that knew them
	}
}

// unlogQueue removes what the log has of a queue. Notes stay.
func (s *State) unlogQueue(v *service) {
	if v.recorded {
		s.logNotesAlone(v.tube.name)
		v.recorded = false
	}
}

// RestoreQueue puts back what the log has kept of a queue. Queues come before jobs.
func (s *State) RestoreQueue(q *storage.Queue) {
	if len(q.Notes) > 0 {
		s.notes[q.Tube] = q.Notes
		s.restorePurges(q)
		if !q.Served() {
			return
		}
	}
	v := s.serviceOf(s.tubeNamed([]byte(q.Tube)), &policy.Limits{})
	v.ended, v.recorded = q.Ended, true
	v.nextView = q.Next
	for _, r := range q.Views {
		s.newView(v, r.Number, r.Name, r.Start, r.Tags)
	}
	if q.First != "" {
		v.first = newGroup(v, q.First)
	}
}

// items is what a State has for the queue service.
type items struct {
	added      cells.Slab[item] // to jobs
	numbered   uint32           // consumers
	pushed     uint64           // items sent to consumers
	rebalanced uint64           // jobs given to others because a consumer has not dealt with them
	recordItem storage.Item     // scratch for the log

	spares     []*DeliveryBatch // to be used again
	spareBytes int              // their footprints

	withRoom cells.Ring[*consumer] // consumers that may have got room, by turns
	leaving  cells.Timeline        // consumers without a connection, by when their items go to others
	departed cells.Line[*consumer] // those that are only remembered
	shownFor int64                 // Limits.Forget: how long they are
	ending   []*service            // queues that have ended, and of which a group may be over
	parting  []*group              // whose consumers are to be told that it is over

	views    cells.Numbered[*view]
	pendings cells.Slab[pending] // what views have sent
	idling   cells.Timeline      // views by when what they have sent is to be taken back

	// Called lists the gets that were called since the caller last emptied it; they may be
	// told to try again when the log has what they are to see.
	Called []Getter
	// Deliveries is what was pushed to consumers since TakeDeliveries was called; it may be
	// sent when the log has what it shows.
	Deliveries []*DeliveryBatch
}

func newItems() items {
	return items{added: cells.NewSlab[item](), pendings: cells.NewSlab[pending]()}
}

// askPut makes an item.
func (s *State) askPut(_ *Batch, op *Op) (status Status) {
	a := op.Ask
	t := s.tubeNamed([]byte(a.Queue))
	if v := s.serviceOf(t, a.Limits); v.ended && op.phase != unstaged { // otherwise it has failed already
		status = s.endPut(t, op, Ended)
	} else {
		op.TTR = wholeSeconds(a.Limits.MaxIdle)
		status = s.putInto(nil, t, op)
	}
	s.letGo(t)
	return status
}

// countOfPair counts the jobs of a queue and its rear queue.
func (s *State) countOfPair(v *service) int {
	n := v.tube.count
	if t := s.tubes[v.pair]; t != nil {
		n += t.count
	}
	return n
}
