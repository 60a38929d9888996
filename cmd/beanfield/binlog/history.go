package binlog

import (
	"cmp"
	"maps"
	"slices"

	"beanfield/storage"
)

// job is what the log has said so far of a living job.
type job struct {
	fields
	tube   string
	file   int // where the last whole copy of the body is
	bodyAt int64
	// buriedAt is the number of the bury record among all records, or 0 for a buried
	// job whose bury record is in a file that is gone.
	buriedAt int64
}

// history follows the records and knows the jobs that live.
type history struct {
	jobs  map[uint64]*job
	tubes map[string]string
	// early has buriedAt for jobs whose full record, a copy made by a compaction, is
	// still to come.
	early   map[uint64]int64
	records int64
	maxID   uint64
}

func newHistory() *history {
	return &history{jobs: make(map[uint64]*job), tubes: make(map[string]string), early: make(map[uint64]int64)}
}

// apply takes the next record, of the given file. If it has to skip the record, it
// says why.
func (h *history) apply(file int, r *record) (skipped string) {
	h.records++
	if r.flaw != "" {
		return r.flaw
	}
	h.maxID = max(h.maxID, r.id)
	j := h.jobs[r.id]
	switch {
	case r.torn && (j == nil || !j.same(r)):
		return "the body is not whole: a torn write"
	case r.torn:
		h.change(j, r)
		return "the body is not whole: a torn write; an older copy of the job is used"
	case r.full:
		h.full(file, j, r)
	case j == nil:
		h.unknown(r)
	case !j.same(r):
		return "size, TTR or time of creation are not those of the job: a torn write"
	default:
		h.change(j, r)
	}
	return ""
}

// full makes a job, or notes a newer copy of it. If the time of creation differs, the
// id was given again, and the delete of the old job is lost.
func (h *history) full(file int, j *job, r *record) {
	if r.state == stateDeleted {
		h.drop(r.id)
		return
	}
	if j == nil || !j.same(r) {
		j = &job{tube: h.tube(r.tube)}
		if r.state == stateBuried {
			j.state, j.buriedAt = stateBuried, h.early[r.id]
		}
		h.jobs[r.id] = j
	}
	delete(h.early, r.id)
	j.file, j.bodyAt = file, r.bodyAt
	h.change(j, r)
}

// change gives a job the state of a record. A copy of a buried job does not count as
// burying it again.
func (h *history) change(j *job, r *record) {
	if r.state == stateDeleted {
		h.drop(r.id)
		return
	}
	if r.state != stateBuried {
		j.buriedAt = 0
	} else if !r.full || j.state != stateBuried {
		j.buriedAt = h.records
	}
	j.fields = r.fields
}

// unknown remembers when an unknown job was buried: a copy of it may come.
func (h *history) unknown(r *record) {
	if r.state == stateBuried {
		h.early[r.id] = h.records
	} else {
		delete(h.early, r.id)
	}
}

func (h *history) drop(id uint64) {
	delete(h.jobs, id)
	delete(h.early, id)
}

// tube returns one string for all jobs of a tube.
func (h *history) tube(name []byte) string {
	s, ok := h.tubes[string(name)]
	if !ok {
		s = string(name)
		h.tubes[s] = s
	}
	return s
}

// same says whether a record is about this job: these fields never change.
func (j *job) same(r *record) bool {
	return j.body == r.body && j.ttr == r.ttr && j.created == r.created
}

// moved is a job as it will be stored, and where its body is.
type moved struct {
	storage.Job
	file   int
	bodyAt int64
}

// settle ends the history and returns the living jobs, in the order of their bodies.
// A job whose delay is over by now is ready.
func (h *history) settle(now int64) []moved {
	jobs := slices.Collect(maps.Values(h.jobs))
	slices.SortFunc(jobs, func(a, b *job) int {
		reserved := func(j *job) int64 { return j.deadline - j.ttr }
		return cmp.Or(cmp.Compare(a.buriedAt, b.buriedAt), cmp.Compare(reserved(a), reserved(b)),
			cmp.Compare(a.id, b.id))
	})
	all := make([]moved, 0, len(jobs))
	rank := uint64(0)
	for _, j := range jobs {
		m := moved{Job: j.stored(now), file: j.file, bodyAt: j.bodyAt}
		if m.State == storage.Buried {
			rank++
			m.BuryRank = rank
		}
		all = append(all, m)
	}
	h.jobs = nil
	slices.SortFunc(all, func(a, b moved) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.bodyAt, b.bodyAt))
	})
	return all
}

func (j *job) stored(now int64) storage.Job {
	s := storage.Job{
		ID: j.id, Tube: j.tube, State: storage.Ready, Pri: j.pri,
		Delay: uint32(j.delay / second), TTR: uint32(j.ttr / second),
		Size: uint32(j.body - 2), Created: j.created,
		Counters: storage.Counters{
			Reserves: j.counters[0], Timeouts: j.counters[1], Releases: j.counters[2], Buries: j.counters[3],
			Kicks: j.counters[4],
		},
	}
	switch {
	case j.state == stateBuried:
		s.State = storage.Buried
	case j.state == stateDelayed && j.deadline > now:
		s.State, s.Deadline = storage.Delayed, j.deadline
	}
	return s
}
