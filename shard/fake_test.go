package shard

import (
	"bytes"
	"fmt"
	"sort"

	"beanfield/storage"
)

// fakeDirectory checks that tubes and jobs come and go the way the router
// counts on: nothing ends twice, or without having begun.
type fakeDirectory struct {
	t      failer
	tubes  map[string]bool
	gone   map[uint64]bool
	last   uint64 // the highest id that was allotted
	closed bool   // no jobs are taken
}

func newFakeDirectory(t failer) *fakeDirectory {
	return &fakeDirectory{t: t, tubes: map[string]bool{}, gone: map[uint64]bool{}}
}

func (d *fakeDirectory) TubeBorn(name string) {
	if d.tubes[name] {
		d.t.Fatalf("tube %q is born twice", name)
	}
	d.tubes[name] = true
}

func (d *fakeDirectory) TubeGone(name string) {
	if !d.tubes[name] {
		d.t.Fatalf("tube %q ends without having begun", name)
	}
	delete(d.tubes, name)
}

func (d *fakeDirectory) JobBorn(id uint64) (uint64, bool) {
	switch {
	case d.closed:
		return 0, false
	case id == 0:
		d.last++
		return d.last, true
	}
	d.last = max(d.last, id)
	return id, true
}

func (d *fakeDirectory) JobGone(id uint64) {
	if d.gone[id] {
		d.t.Fatalf("job %d ends twice", id)
	}
	d.gone[id] = true
}

// names lists the tubes that exist, sorted.
func (d *fakeDirectory) names() []string {
	var names []string
	for name := range d.tubes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// quietDirectory hears nothing.
type quietDirectory struct{}

func (quietDirectory) TubeBorn(string) {}
func (quietDirectory) TubeGone(string) {}
func (quietDirectory) JobGone(uint64)  {}

func (quietDirectory) JobBorn(id uint64) (uint64, bool) { return id, true }

// fakeLog folds the records it is given into what a replay would bring back.
type fakeLog struct {
	full    bool // Room refuses
	slow    bool // Commit makes its caller wait for release
	commits []storage.Ack
	records []string
	jobs    map[uint64]*storage.Job
	bodies  map[uint64]string
	staged  map[uint64]string // bodies whose jobs are not put yet
	lazy    bool              // Stage takes until endStages
	stages  []fakeStage
}

func newFakeLog() *fakeLog {
	return &fakeLog{jobs: map[uint64]*storage.Job{}, bodies: map[uint64]string{}, staged: map[uint64]string{}}
}

func (l *fakeLog) Room(int) bool { return !l.full }

// Stage keeps a body until its job is put.
func (l *fakeLog) Stage(id uint64, body [][]byte, ack storage.Ack) {
	l.records = append(l.records, fmt.Sprintf("stage %d", id))
	l.stages = append(l.stages, fakeStage{id, body, ack})
	if !l.lazy {
		l.endStages(nil)
	}
}

// endStages says how all bodies fared that are on their way.
func (l *fakeLog) endStages(err error) {
	stages := l.stages
	l.stages = nil
	for _, s := range stages {
		if err == nil {
			l.staged[s.id] = string(bytes.Join(s.body, nil))
		}
		s.ack.Committed(err)
	}
}

type fakeStage struct {
	id   uint64
	body [][]byte
	ack  storage.Ack
}

func (l *fakeLog) Put(j *storage.Job, body ...[]byte) {
	if j.Size > storage.LargeBody {
		text, ok := l.staged[j.ID]
		if !ok || len(body) > 0 {
			panic(fmt.Sprintf("job %d is put before its body is staged, or with it", j.ID))
		}
		body = [][]byte{[]byte(text)}
		delete(l.staged, j.ID)
	}
	if l.jobs[j.ID] != nil {
		panic(fmt.Sprintf("job %d is logged twice", j.ID))
	}
	copied := *j
	l.jobs[j.ID] = &copied
	text := ""
	for _, part := range body {
		text += string(part)
	}
	l.bodies[j.ID] = text
	l.records = append(l.records, fmt.Sprintf("put %d %v", j.ID, logStates[j.State]))
}

func (l *fakeLog) Update(j *storage.Job) {
	if l.jobs[j.ID] == nil {
		panic(fmt.Sprintf("job %d is updated but was never put", j.ID))
	}
	*l.jobs[j.ID] = *j
	l.jobs[j.ID].Updated = true
	l.records = append(l.records, fmt.Sprintf("update %d %v", j.ID, logStates[j.State]))
}

func (l *fakeLog) Delete(j *storage.Job) {
	id := j.ID
	if l.jobs[id] == nil {
		panic(fmt.Sprintf("job %d is deleted but was never put", id))
	}
	if was := l.jobs[id]; was.Updated != j.Updated || was.Size != j.Size || was.Tube != j.Tube {
		panic(fmt.Sprintf("job %d is deleted as %+v but logged as %+v", id, *j, *was))
	}
	delete(l.jobs, id)
	delete(l.bodies, id)
	l.records = append(l.records, fmt.Sprintf("delete %d", id))
}

func (l *fakeLog) Commit(ack storage.Ack) bool {
	if l.slow {
		l.commits = append(l.commits, ack)
	}
	return !l.slow
}

// release acknowledges all commits that wait.
func (l *fakeLog) release(err error) {
	commits := l.commits
	l.commits = nil
	for _, ack := range commits {
		ack.Committed(err)
	}
}

// Replay brings buried jobs by rank and the others by id.
func (l *fakeLog) Replay(fn func(*storage.Job, []byte) error) error {
	var all []*storage.Job
	for _, j := range l.jobs {
		all = append(all, j)
	}
	sort.Slice(all, func(i, k int) bool {
		a, b := all[i], all[k]
		if a.BuryRank != b.BuryRank {
			return a.BuryRank < b.BuryRank
		}
		return a.ID < b.ID
	})
	for _, j := range all {
		copied := *j
		if err := fn(&copied, []byte(l.bodies[j.ID])); err != nil {
			return err
		}
	}
	return nil
}

func (l *fakeLog) Body(uint64, []byte) ([]byte, error) { return nil, storage.ErrNoBody }
func (l *fakeLog) MaxID() uint64                       { return 0 }
func (l *fakeLog) Stats() storage.LogStats             { return storage.LogStats{} }

var logStates = map[storage.JobState]string{
	storage.Ready: "ready", storage.Delayed: "delayed", storage.Buried: "buried",
}
