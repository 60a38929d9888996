package queue

import "beanfield/shard/queue/cells"

// A put may say how old its job may get, and how often it may be delivered. The tube's policy may say the
// same of all its jobs: then what is stricter counts. Jobs that get too old stand in a timeline, each
// by itself, unless somebody holds it, or only further groups have it.

// lifetimes are the jobs that get too old.
type lifetimes struct {
	dying cells.Timeline // for those that have a time, by the job's slot
}

// beginLife lets a new job have an end.
func (s *State) beginLife(slot uint32, t *jobOptions) {
	if t.expires == 0 {
		return
	}
	s.extra.dying.Cover(slot)
	s.extra.dying.Schedule(slot, t.expires)
}

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
