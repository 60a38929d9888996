package router

import (
	"bytes"
	"fmt"
	"slices"

	"beanfield/shard/queue"
)

// restartEnds is above the ids of all jobs: what queues are has such ids in the model.
const restartEnds = 1 << 62

// service is an operation of the queue service on one of the queues of a shard. Jobs are
// deleted first in a batch only: the rest of one may come when others have reserved them.
func (run *restartRun) service(c *restartClient, i int, first bool) []queue.Op {
	tubes := slices.DeleteFunc(slices.Clone(restartTubes), func(tube string) bool {
		return run.model.shardOf(tube) != i || hasGroups(tube)
	})
	if len(tubes) == 0 {
		return nil
	}
	a := &queue.Ask{Queue: tubes[run.dice.IntN(len(tubes))], Limits: &queue.Limits{}}
	op := queue.Op{Kind: queue.Service, Ask: a}
	switch n := run.dice.IntN(100); {
	case n < 60 || n < 98 && !first:
		put := run.put(c)
		op.ID, op.Data, op.Size, op.Pri = put.ID, put.Data, put.Size, put.Pri
		a.What = queue.AskPut
		for k := range run.dice.IntN(3) {
			a.Tags = append(a.Tags, queue.MakeTags(map[string]string{fmt.Sprint("key ", k): string(put.Data[:min(40, len(put.Data))])})...)
		}
	case n < 98:
		a.What = queue.AskDelete
		a.Indexes = []uint64{0}
		for _, j := range run.model.settled(c, run.model.In(a.Queue)) {
			if run.dice.IntN(3) == 0 {
				a.Indexes = append(a.Indexes, j.ID)
			}
		}
	default:
		a.What = queue.AskEnd
	}
	return []queue.Op{op}
}

// tagsOf asks for the tags of a job. A delayed one is not shown.
func (run *restartRun) tagsOf(i int, id uint64, tube string, state queue.JobState) (queue.Tags, error) {
	if state == queue.Delayed {
		return nil, nil
	}
	a := &queue.Ask{What: queue.AskGet, Queue: tube, Index: id, Length: 1, Limits: &queue.Limits{}}
	b, err := run.ask(i, queue.Op{Kind: queue.Service, Ask: a})
	if err != nil {
		return nil, err
	}
	if b.Ops[0].Status != queue.OK || len(a.Found.Items) != 1 || a.Found.Items[0].Index != id {
		return nil, fmt.Errorf("job %d is not found by its index: status %d", id, b.Ops[0].Status)
	}
	return a.Found.Tags(0), nil
}

// lookPassed asks for an item that only views have.
func (run *restartRun) lookPassed(i int, id uint64) (restartFound, error) {
	for _, tube := range restartQueues {
		a := &queue.Ask{What: queue.AskGet, Queue: tube, Index: id, Length: 1, Limits: &queue.Limits{}}
		b, err := run.ask(i, queue.Op{Kind: queue.Service, Ask: a})
		if err != nil {
			return restartFound{}, err
		}
		if b.Ops[0].Status == queue.OK && len(a.Found.Items) == 1 && a.Found.Items[0].Index == id {
			it := &a.Found.Items[0]
			o := restartFound{info: queue.JobInfo{ID: id, Tube: tube, State: queue.Passed}, tags: a.Found.Tags(0)}
			o.body = string(a.Found.Small(0)) + string(bytes.Join(it.Large, nil))
			return o, nil
		}
	}
	return restartFound{}, fmt.Errorf("R2: job %d is in the directory, and nobody finds it", id)
}
