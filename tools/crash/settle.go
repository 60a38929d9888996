package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"beanfield/tools/marked"
)

// settle compares what a restart has found with the ledger, and notes what it
// says of the commands that were in flight.
func (l *ledger) settle(s *snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.probe <= l.highest {
		l.fail(nil, "the next id is %d, but %d was given out before the restart", s.probe, l.highest)
	}
	l.adopt(s)
	for _, j := range slices.Clone(l.alive) {
		l.compare(j, s)
	}
	for id := range s.jobs {
		if j := l.byID[id]; j != nil && j.could[0].state == gone && j.ended != 0 {
			l.fail(j, "is back: %+v", brief(s.jobs[id]))
		}
	}
	if n := int64(len(l.alive)); s.count != n && len(l.failures) == 0 {
		l.fail(nil, "the server has %d jobs, the ledger %d", s.count, n)
	}
	l.compareOrder(s)
	l.clock.Add(1)
	l.highest = max(l.highest, s.probe)
	l.unlockAll()
}

func brief(f *finding) string {
	return fmt.Sprintf("%v in %s %v, %d bytes", f.state, f.tube, f.figures, len(f.body))
}

// adopt finds the puts that were in flight and have happened. Those that have
// not are forgotten.
func (l *ledger) adopt(s *snapshot) {
	for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
		if l.byID[id] != nil {
			continue
		}
		f := s.jobs[id]
		j := l.unanswered(f)
		if j == nil {
			l.fail(nil, "job %d is there and nobody put it: %s", id, brief(f))
			continue
		}
		j.note("found as job %d, its put not answered", id)
		j.could[1].dueBy = s.killed.Add(time.Duration(j.could[1].delay) * time.Second)
		v := j.could[1]
		l.christen(j, id)
		j.could = []version{v}
	}
	for _, j := range l.born {
		for k := j.with; k != nil && k != j; k = k.with {
			if k.id != 0 {
				l.fail(k, "is there, and token %x is not, which was put together with it", j.token)
				break
			}
		}
	}
	clear(l.born)
}

// unanswered finds the put that a job may come from. An empty body has no
// token, so any put that agrees will do.
func (l *ledger) unanswered(f *finding) *job {
	token, err := marked.Read(f.body)
	if err != nil {
		l.fail(nil, "job %d has a damaged body: %v", f.id, err)
		return nil
	}
	if token != 0 {
		return l.born[token]
	}
	for _, token := range slices.Sorted(maps.Keys(l.born)) {
		j := l.born[token]
		if j.size == 0 && j.tube == f.tube && j.ttr == f.ttr && j.could[1].pri == f.pri && j.could[1].delay == f.delay {
			return j
		}
	}
	return nil
}

// compare checks that a job is in one of the versions that are possible, and keeps only
// that version.
func (l *ledger) compare(j *job, s *snapshot) {
	f := s.jobs[j.id]
	j.busy, j.out = false, false
	for i, v := range j.could {
		if i > 0 && v.state == delayed && v.dueBy.IsZero() {
			v.dueBy = s.killed.Add(time.Duration(v.delay) * time.Second)
		}
		if f == nil && v.state == gone || f != nil && v.differs(f) == "" {
			if i > 0 {
				j.note("was done, and not answered")
			} else if len(j.could) > 1 {
				j.note("was not done")
			}
			l.decide(j, v, f)
			return
		}
	}
	if f == nil {
		l.fail(j, "is lost; it was acknowledged as %v", j.could[0])
		return
	}
	l.fail(j, "%s", j.could[0].differs(f))
}

func (l *ledger) decide(j *job, v version, f *finding) {
	j.could = []version{v}
	if f == nil {
		j.ended = l.clock.Load() + 1
		l.strike(j)
		return
	}
	j.reserves = f.reserves
	j.note("restart: %s", brief(f))
	token, err := marked.Read(f.body)
	if err != nil || len(f.body) != j.size || j.size > 0 && token != j.token {
		l.fail(j, "has another body: token %x, %d bytes, %v", token, len(f.body), err)
	}
}

// compareOrder checks which job is first among the buried.
func (l *ledger) compareOrder(s *snapshot) {
	if len(l.failures) > 0 {
		return
	}
	for _, t := range tubes {
		list := l.inOrder(t)
		switch {
		case len(list) == 0 && s.heads[t] != 0:
			l.fail(nil, "tube %s: peek-buried shows job %d, want none", t, s.heads[t])
		case len(list) > 0 && s.heads[t] != list[0].id:
			l.fail(list[0], "was buried first of its tube, but peek-buried shows job %d", s.heads[t])
		}
	}
}

// known lists the ids of the living.
func (l *ledger) known() (ids []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.alive {
		ids = append(ids, j.id)
	}
	return ids
}
