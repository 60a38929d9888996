package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// putWith is a put that may say more than a plain one can. All times are whole thousands of seconds, but that of a
// name.
func (run *restartRun) putWith(c *restartClient) queue.Op {
	op := run.put(c)
	if !run.termed || run.dice.IntN(2) == 0 {
		return op
	}
	o := &queue.Options{
		Delay: int64(op.Delay) * second, TTR: int64(op.TTR)*second - run.dice.Int64N(2)*750e6,
		Expire: max(0, run.dice.Int64N(8)-4) * 2000 * second, Deliveries: uint32(max(0, run.dice.IntN(5)-2)),
	}
	if run.dice.IntN(2) == 0 {
		o.Key, o.KeyFor = []byte{byte('k' + run.dice.IntN(3))}, run.dice.Int64N(3)*3000*second
	}
	if run.dice.IntN(3) == 0 {
		o.Once = []byte{byte('o' + run.dice.IntN(2))}
	}
	if run.dice.IntN(2) == 0 {
		o.Tags = queue.MakeTags(map[string]string{"kind": string(op.Data[:min(40, len(op.Data))])})
	}
	op.Options = o
	return op
}

// jobOf is the job that a put makes, in the model's words.
func jobOf(op *queue.Op, tube string) *naive.Job {
	j := &naive.Job{ID: op.ID, Tube: tube, Body: string(op.Data), Pri: op.Pri, Delay: op.Delay, TTR: op.TTR}
	if o := op.Options; o != nil {
		j.Tags = tagWords(o.Tags)
		j.Said = &naive.Said{
			Delay: o.Delay, TTR: o.TTR, Expires: o.Expire, MaxDeliveries: int(o.Deliveries),
			Key: string(o.Key), KeyFor: o.KeyFor, Once: string(o.Once), OnceFor: queue.OnceFor,
		}
	}
	return j
}

// tube is any of them.
func (run *restartRun) tube() string { return restartTubes[run.dice.IntN(len(restartTubes))] }

// old says that a job has certainly been too old at a moment.
func (v *restartRecord) old(now int64) bool { return v.ends != 0 && v.ends <= now }

// doubtful says that a job may have grown too old just when a start was looked at, or not.
func doubtful(state map[uint64]restartRecord, window [2]int64) bool {
	const doubt = 10 * second // for what the model does not know of the moment of a put
	for _, v := range state {
		if v.ends != 0 && v.ends > window[0]-doubt && v.ends < window[1]+doubt {
			return true
		}
	}
	return false
}

// sameKeys says that in two states the same keys are taken: those of jobs that have ended show nowhere else.
func sameKeys(a, b map[uint64]restartRecord) bool {
	for _, s := range [][2]map[uint64]restartRecord{{a, b}, {b, a}} {
		for id, v := range s[0] {
			if k := s[1][id].key; v.key != nil && (k == nil || *k != *v.key) {
				return false
			}
		}
	}
	return true
}

// age lets the model end what a start has ended: jobs that are too old.
func (m *restartModel) age(now int64, seen *restartSeen) {
	for _, l := range m.logs {
		l.turns++
	}
	m.at(now, now)
	before := len(m.Jobs)
	m.Tick()
	seen.add("too old", before-len(m.Jobs))
}
