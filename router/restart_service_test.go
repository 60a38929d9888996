package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
)

// restartEnds is above the ids of all jobs: what queues are has such ids in the model.
const restartEnds = 1 << 62

// restartKeys is below these, and above the ids of all jobs.
const restartKeys = 1 << 61

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
