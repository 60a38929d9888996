package router

import (
	"maps"
	"slices"

	"beanfield/shard/queue/naive"
)

// restartRecord is what a log has of a job, or of a key.
type restartRecord struct {
	id   uint64
	tube string
	job  *naive.Job
	late [2]int64 // how much later than in the model it may have been put, and its delay may end
	ends int64    // when it is too old; 0: never
	key  *naive.Key
	gone bool // it was deleted
	turn int  // the turn that wrote this
}

// restartLog is what one shard must have told its log: what was there when it
// was opened, then every change. The changes of one turn stand or fall together.
type restartLog struct {
	base    map[uint64]restartRecord
	changes []restartRecord
	turns   int // begun so far
	safe    int // the last that was acknowledged as durable
}

// restartModel is the model with a log for each shard that says what a restart may find.
// Times are in nanoseconds on the test's own calendar. The model's moments are the earliest
// at which something may have happened.
type restartModel struct {
	*naive.Queue
	shardOf func(tube string) int
	logs    []*restartLog
	latest  map[uint64]restartRecord // of each job
	window  [2]int64                 // the moment of the operation is between these
	known   uint64                   // the highest id that anybody has been told
	last    uint64                   // the highest that has been allotted
	trail   []string                 // what was done, for a report
	keys    map[naive.Key]uint64     // the ids of keys' records, by tubes, texts and what they are
}

// newRestartModel makes the model of a router that has found these records, with the queue
// that begins with them.
func newRestartModel(shards int, found map[uint64]restartRecord, q *naive.Queue) *restartModel {
	m := &restartModel{Queue: q, shardOf: func(tube string) int { return ShardOf(tube, shards) }, latest: found,
		keys: map[naive.Key]uint64{}}
	for range shards {
		m.logs = append(m.logs, &restartLog{base: map[uint64]restartRecord{}})
	}
	for id, v := range found {
		m.logs[m.shardOf(v.tube)].base[id] = v
	}
	m.Wrote, m.WroteKey = m.wrote, m.wroteKey
	return m
}

// restored is the model with what records say.
func restored(found map[uint64]restartRecord) *naive.Queue {
	var jobs []*naive.Job
	var keys []*naive.Key
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if v := found[id]; v.key != nil {
			k := *v.key
			keys = append(keys, &k)
		} else {
			jobs = append(jobs, v.job)
		}
	}
	q := naive.Restore(jobs, nil)
	q.RestoreKeys(keys)
	return q
}

// at says that what follows happened between two moments.
func (m *restartModel) at(from, to int64) {
	m.window = [2]int64{from, to}
	m.Now = from
}

// wrote hears what the log must have been told of a job.
func (m *restartModel) wrote(j *naive.Job, gone bool) {
	const cut = 1e6 // shards cut the moment of a put to milliseconds
	v := restartRecord{id: j.ID, tube: j.Tube, job: j, gone: gone, ends: m.OldAt(j)}
	v.late = [2]int64{m.window[1]/cut*cut - m.window[0]/cut*cut, m.window[1] - m.window[0]}
	if was, known := m.latest[j.ID]; known {
		v.late[0] = was.late[0]
		if was.job.Deadline == j.Deadline {
			v.late[1] = was.late[1]
		}
	}
	m.latest[j.ID] = v
	m.write(v)
}

// wroteKey hears so of a key. Their ids are above those of all jobs.
func (m *restartModel) wroteKey(k *naive.Key, gone bool) {
	of := naive.Key{Tube: k.Tube, Text: k.Text, Name: k.Name}
	if m.keys[of] == 0 {
		m.keys[of] = restartKeys + uint64(len(m.keys))
	}
	copied := *k
	m.write(restartRecord{id: m.keys[of], tube: k.Tube, key: &copied, gone: gone})
}

func (m *restartModel) write(v restartRecord) {
	l := m.logs[m.shardOf(v.tube)]
	v.turn = l.turns
	l.changes = append(l.changes, v)
}

// after says what a log holds after one of its turns.
func (l *restartLog) after(turn int) map[uint64]restartRecord {
	state := maps.Clone(l.base)
	for _, v := range l.changes {
		switch {
		case v.turn > turn:
			return state
		case v.gone:
			delete(state, v.id)
		default:
			state[v.id] = v
		}
	}
	return state
}

// leave is what the end of a session does, shard by shard: each hears of it in a turn of its
// own.
func (m *restartModel) leave(c *restartClient, shards []int) {
	for _, i := range shards {
		m.logs[i].turns++
		m.Detach(c.number, func(tube string) bool { return m.shardOf(tube) == i })
		m.endTurn(c.run)
	}
	m.Detach(c.number, nil)
}

// endTurn notes who was given a job.
func (m *restartModel) endTurn(run *restartRun) {
	m.Tick()
	for _, g := range m.Given {
		for _, c := range run.clients {
			if c.number == g.Client {
				c.delivered = m.Job(g.ID)
			}
		}
	}
	m.Given, m.Pushed = nil, nil
}

// jobs lists jobs by id: what is drawn from it is repeatable.
func (m *restartModel) jobs(ok func(*naive.Job) bool) (list []*naive.Job) {
	for _, j := range m.Jobs {
		if ok(j) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *naive.Job) int { return int(a.ID) - int(b.ID) })
	return list
}
