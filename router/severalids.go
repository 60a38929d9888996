package router

import "beanfield/shard/queue"

// An operation on several jobs is one operation in each shard that owns some of them, played as a
// script: one shard after the other.

// DoSeveral applies op, a DeleteSeveral or its like, to jobs, if the judge allows it on their tubes.
// When it is complete, Did has the answer.
func (s *Session) DoSeveral(op queue.Op, ids []uint64, judge queue.Judge) bool {
	s.script.begin()
	s.script.judge, s.script.asked = judge, uint32(len(ids))
	lists := make([][]byte, len(s.r.shards))
	for n, id := range ids {
		i, ok := s.r.Owner(id)
		if !ok {
			continue
		}
		if lists[i] == nil {
			lists[i] = make([]byte, 0, 8*(len(ids)-n))
		}
		lists[i] = queue.AppendID(lists[i], id)
	}
	for i, list := range lists {
		if list != nil {
			op.Data = list
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
	large := false
	for i := range s.script.steps {
		op := &s.script.steps[i].op
		d.Done += int(op.Count)
		d.Others += int(op.To)
		d.Denied += int(op.Size)
		d.Failed = d.Failed || op.Status == queue.Failed
		large = large || op.From > listKeep
	}
	d.Not = int(s.script.asked) - d.Done
	if large {
		s.script = script{} // the batch may have a copy of the list
	}
	return d
}

// listKeep is how many jobs' list an idle session may keep.
const listKeep = 128
