package queuetest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"beanfield/storage"
)

// Fullness is how much a log refuses.
type Fullness int

// Puts are refused first, then also updates.
const (
	Roomy Fullness = iota
	Full
	Packed
)

// Log folds the records it is given into what a replay would bring back.
type Log struct {
	Full    Fullness
	Slow    bool // Commit makes its caller wait for Release
	Commits []storage.Ack
	Records []string
	Jobs    map[uint64]*storage.Job
	Spent   map[uint64]*storage.Job // records of keys that have outlived their jobs
	Bodies  map[uint64]string
	Queues  map[string]*storage.Queue
	Staged  map[uint64]string // bodies whose jobs are not put yet
	Lazy    bool              // Stage takes until EndStages
	stages  []stage
}

var _ storage.Log = (*Log)(nil)

// NewLog makes an empty log that has room and is quick.
func NewLog() *Log {
	return &Log{
		Jobs: map[uint64]*storage.Job{}, Bodies: map[uint64]string{}, Staged: map[uint64]string{},
		Queues: map[string]*storage.Queue{}, Spent: map[uint64]*storage.Job{},
	}
}

func (l *Log) Room(int) bool { return l.Full < Full }

func (l *Log) RoomToUpdate() bool { return l.Full < Packed }

// Stage keeps a body until its job is put.
func (l *Log) Stage(id uint64, body [][]byte, ack storage.Ack) {
	l.Records = append(l.Records, fmt.Sprintf("stage %d", id))
	l.stages = append(l.stages, stage{id, body, ack})
	if !l.Lazy {
		l.EndStages(nil)
	}
}

// EndStages ends all stages that are under way, with the given result.
func (l *Log) EndStages(err error) {
	stages := l.stages
	l.stages = nil
	for _, s := range stages {
		if err == nil {
			l.Staged[s.id] = string(bytes.Join(s.body, nil))
		}
		s.ack.Committed(err)
	}
}

type stage struct {
	id   uint64
	body [][]byte
	ack  storage.Ack
}

func (l *Log) Put(j *storage.Job, body ...[]byte) {
	if j.State == storage.Spent {
		if j.Size > 0 || len(body) > 0 || l.Spent[j.ID] != nil || l.Jobs[j.ID] != nil {
			panic(fmt.Sprintf("a key is put under %d with %+v", j.ID, *j))
		}
		l.Spent[j.ID] = clone(j)
		l.Records = append(l.Records, fmt.Sprintf("spent %d", j.Item.Keys.Of))
		return
	}
	if j.Size > storage.LargeBody {
		text, ok := l.Staged[j.Key()]
		if !ok || len(body) > 0 {
			panic(fmt.Sprintf("job %d is put before its body is staged, or with it", j.Key()))
		}
		body = [][]byte{[]byte(text)}
		delete(l.Staged, j.Key())
	}
	if l.Jobs[j.Key()] != nil {
		panic(fmt.Sprintf("job %d is logged twice", j.Key()))
	}
	l.Jobs[j.Key()] = clone(j)
	l.Bodies[j.Key()] = string(bytes.Join(body, nil))
	l.Records = append(l.Records, fmt.Sprintf("put %d %v", j.Key(), states[j.State]))
}

func (l *Log) Update(j *storage.Job) {
	if l.Jobs[j.Key()] == nil {
		panic(fmt.Sprintf("job %d is updated but was never put", j.Key()))
	}
	if was := l.Jobs[j.Key()]; string(tagsOf(was)) != string(tagsOf(j)) || was.Tube != j.Tube &&
		(j.Item == nil || !j.Item.Moved) {
		panic(fmt.Sprintf("job %d is updated as %+v but logged as %+v", j.Key(), *j, *was))
	}
	kept := clone(j)
	if was := l.Jobs[j.Key()].Item; was != nil && was.Keys != nil { // they are of the put
		if kept.Item == nil {
			kept.Item = new(storage.Item)
		}
		kept.Item.Keys = was.Keys
	}
	l.Jobs[j.Key()] = kept
	l.Jobs[j.Key()].Updated = true
	l.Records = append(l.Records, fmt.Sprintf("update %d %v", j.Key(), states[j.State]))
}

// Quarantine is an update, whose record says why.
func (l *Log) Quarantine(j *storage.Job) {
	l.Update(j)
	l.Records[len(l.Records)-1] = fmt.Sprintf("aside %d", j.Key())
}

func (l *Log) Delete(j *storage.Job) {
	id := j.Key()
	if j.State == storage.Spent {
		if l.Spent[id] == nil {
			panic(fmt.Sprintf("key %d is deleted but was never put", id))
		}
		l.Records = append(l.Records, fmt.Sprintf("forget %d", l.Spent[id].Item.Keys.Of))
		delete(l.Spent, id)
		return
	}
	if l.Jobs[id] == nil {
		panic(fmt.Sprintf("job %d is deleted but was never put", id))
	}
	if was := l.Jobs[id]; was.Updated != j.Updated || was.Size != j.Size || was.Tube != j.Tube ||
		len(tagsOf(was)) != len(tagsOf(j)) {
		panic(fmt.Sprintf("job %d is deleted as %+v but logged as %+v", id, *j, *was))
	}
	delete(l.Jobs, id)
	delete(l.Bodies, id)
	l.Records = append(l.Records, fmt.Sprintf("delete %d", id))
}

// PutQueue records a queue, whose views are in order and have numbers below the next one.
func (l *Log) PutQueue(q *storage.Queue) {
	for i, v := range q.Views {
		if v.Number >= q.Next || i > 0 && v.Number <= q.Views[i-1].Number {
			panic(fmt.Sprintf("a view of queue %s has a wrong number: %+v", q.Tube, *q))
		}
	}
	l.Queues[q.Tube] = q.Clone()
	l.Records = append(l.Records, "queue "+q.Tube)
}

// DeleteQueue forgets a queue that has been recorded.
func (l *Log) DeleteQueue(tube string) {
	if l.Queues[tube] == nil {
		panic(fmt.Sprintf("queue %s is deleted but was never put", tube))
	}
	delete(l.Queues, tube)
	l.Records = append(l.Records, "no queue "+tube)
}

// ReplayQueues brings the queues by name.
func (l *Log) ReplayQueues(fn func(*storage.Queue) error) error {
	for _, tube := range slices.Sorted(maps.Keys(l.Queues)) {
		if err := fn(l.Queues[tube].Clone()); err != nil {
			return err
		}
	}
	return nil
}

// clone copies a job with its item: the caller may use the memory of both again.
func clone(j *storage.Job) *storage.Job {
	c := *j
	c.Item = j.Item.Clone()
	return &c
}

func tagsOf(j *storage.Job) []byte {
	if j.Item == nil {
		return nil
	}
	return j.Item.Tags
}

func (l *Log) Commit(ack storage.Ack) bool {
	if l.Slow {
		l.Commits = append(l.Commits, ack)
	}
	return !l.Slow
}

// Release acknowledges all commits that wait.
func (l *Log) Release(err error) {
	commits := l.Commits
	l.Commits = nil
	for _, ack := range commits {
		ack.Committed(err)
	}
}

// Replay brings buried jobs by rank and the others by id.
func (l *Log) Replay(fn func(*storage.Job, []byte) error) error {
	byRank := func(a, b *storage.Job) int {
		return cmp.Or(cmp.Compare(a.BuryRank, b.BuryRank), cmp.Compare(a.Key(), b.Key()))
	}
	all := append(slices.Collect(maps.Values(l.Jobs)), slices.Collect(maps.Values(l.Spent))...)
	slices.SortFunc(all, byRank)
	for _, j := range all {
		if err := fn(clone(j), []byte(l.Bodies[j.Key()])); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) Body(uint64, []byte) ([]byte, error) { return nil, storage.ErrNoBody }
func (l *Log) MaxID() uint64                       { return 0 }
func (l *Log) Stats() storage.LogStats             { return storage.LogStats{} }

var states = map[storage.JobState]string{
	storage.Ready: "ready", storage.Delayed: "delayed", storage.Buried: "buried", storage.Passed: "passed",
}
