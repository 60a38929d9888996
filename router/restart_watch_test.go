package router

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"beanfield/shard/queue"
	"beanfield/shard/queue/naive"
)

// glance applies queries on a shard, and does not wait until they may be answered: that
// may be after the life has ended. They are few, so that one turn is enough.
func (run *restartRun) glance(i int, ops []queue.Op) {
	for batch := range slices.Chunk(ops, 16) {
		b := &queue.Batch{Ops: batch, Done: make(restartReply)}
		if n, _ := run.submit(i, b, func() bool { return run.router.shards[i].Submit(b) }); n < len(batch) {
			run.fatalf("a turn of shard %d answers %d of %d queries", i, n, len(batch))
		}
	}
}

// watchGroups holds who has been sent what against the model.
func (run *restartRun) watchGroups(i int) {
	m := run.model
	m.touched = false
	for _, tube := range restartQueues {
		if m.shardOf(tube) != i {
			continue
		}
		jobs, names := m.In(tube), m.Service(tube).Names()
		asked := queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: &queue.Limits{}}
		ops := []queue.Op{{Kind: queue.Service, Ask: &asked}}
		for _, j := range jobs {
			for _, name := range names {
				ops = append(ops, queue.Op{Kind: queue.Service, ID: j.ID, Ask: &queue.Ask{
					What: queue.AskSearch, Queue: tube, Group: name, Limits: &queue.Limits{}}})
			}
		}
		run.glance(i, ops)
		if n := asked.Attrs.Length; n != len(jobs) {
			run.fatalf("queue %s has %d items, want %d", tube, n, len(jobs))
		}
		for k := range ops[1:] {
			j, name := jobs[k/len(names)], names[k%len(names)]
			if got, want := ops[1+k].Ask.Search, queue.SearchInfo(m.Search(j, name)); got != want {
				run.fatalf("job %d of %s is %+v for group %s, want %+v", j.ID, tube, got, name, want)
			}
		}
	}
}

// differGroups holds what each group knows after a start against what a log says.
func differGroups(state map[uint64]restartRecord, found map[uint64]restartFound) error {
	m := restored(begun(state, found))
	for _, j := range m.Jobs {
		if !hasGroups(j.Tube) {
			continue
		}
		for k, name := range m.Service(j.Tube).Names() {
			if got, want := found[j.ID].groups[k], queue.SearchInfo(m.Search(j, name)); got != want {
				return fmt.Errorf("job %d of %s is %+v for group %s, want %+v", j.ID, j.Tube, got, name, want)
			}
		}
	}
	return nil
}

// begun are a log's records at a start, when delays may be over.
func begun(state map[uint64]restartRecord, found map[uint64]restartFound) map[uint64]restartRecord {
	state = maps.Clone(state)
	for id, v := range state {
		if v.job != nil && found[id].info.State != queue.Delayed && v.job.State == naive.Delayed {
			j := *v.job
			j.State, j.Deadline = naive.Ready, 0
			v.job = &j
			state[id] = v
		}
	}
	return state
}

// findQueues asks what queues are there, and how their groups see the jobs.
func (run *restartRun) findQueues(found map[uint64]restartFound) {
	length := map[string]int{}
	for _, o := range found {
		length[o.info.Tube]++
	}
	ids := slices.Sorted(maps.Keys(found))
	for n, tube := range restartTubes {
		i := ShardOf(tube, run.router.Shards())
		a := &queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: &queue.Limits{}}
		if st := run.ask(i, queue.Op{Kind: queue.Service, Ask: a}).Ops[0].Status; st != queue.OK {
			run.fatalf("queue %s tells no attributes", tube)
		}
		pair, isRear := strings.CutSuffix(tube, queue.RearSuffix)
		if !isRear {
			pair += queue.RearSuffix
		}
		if a.Attrs.Length != length[tube] || a.Attrs.Rear != length[pair] || a.Attrs.ConsumersTotal != 0 {
			run.fatalf("queue %s is %+v, and has %d items", tube, *a.Attrs, length[tube])
		}
		q := restartFound{info: queue.JobInfo{Tube: tube}, queue: true, ended: a.Attrs.Ended}
		for _, g := range a.Attrs.Groups {
			q.names = append(q.names, g.Group)
		}
		if q.ended || len(q.names) > 0 {
			found[restartEnds+uint64(n)] = q
		}
		for _, id := range ids {
			o := found[id]
			for _, name := range q.names {
				s := &queue.Ask{What: queue.AskSearch, Queue: tube, Group: name, Limits: &queue.Limits{}}
				if o.info.Tube != tube {
					continue
				}
				if st := run.ask(i, queue.Op{Kind: queue.Service, ID: id, Ask: s}).Ops[0].Status; st != queue.OK {
					run.fatalf("job %d of %s is not found", id, tube)
				}
				o.groups = append(o.groups, s.Search)
			}
			found[id] = o
		}
	}
}

// drainGroups has each group that is left sent all that it is yet to be sent, in order.
func (run *restartRun) drainGroups(c *restartClient) {
	m := run.model
	for _, tube := range restartQueues {
		for _, name := range m.Service(tube).Names() {
			want := m.Listed(naive.Ready, tube)
			if v := m.Service(tube).View(name); v != nil {
				want = m.Undelivered(tube, v)
			}
			box := newInbox()
			c.begin(m.shardOf(tube), queue.Op{Kind: queue.Service, Ask: &queue.Ask{
				What: queue.AskWatch, Queue: tube, Group: name, User: "last", Limits: run.limits(),
				Receiver: box, Window: 1000, IndexOnly: true}})
			c.settle()
			// What is sent by a turn is there before the next one is answered.
			run.ask(m.shardOf(tube), queue.Op{Kind: queue.Totals})
			run.must(sent(box, m, name, want))
		}
	}
}

func sent(box *inbox, m *restartModel, group string, want []*naive.Job) error {
	var got []queue.Item
	for _, p := range box.take() {
		got = append(got, p.Items...)
	}
	for n, it := range got {
		if n >= len(want) || it.Index != want[n].ID {
			return fmt.Errorf("group %s is sent %+v in place %d", group, it, n)
		}
		if deliveries := m.Search(want[n], group).Deliveries; it.Delivery != deliveries {
			return fmt.Errorf("group %s is sent %+v, want delivery %d", group, it, deliveries)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("group %s is sent %d items, want %d", group, len(got), len(want))
	}
	return nil
}
