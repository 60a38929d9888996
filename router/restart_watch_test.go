package router

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"beanfield/shard/queue"
)

// glance applies queries on a shard, and does not wait until they may be answered: that
// may be after the life has ended. They are few, so that one turn is enough.
func (run *restartRun) glance(i int, ops []queue.Op) error {
	for batch := range slices.Chunk(ops, 16) {
		b := &queue.Batch{Ops: batch, Done: make(restartReply)}
		run.glancing, run.glanced = b, 0
		run.router.shards[i].Submit(b)
		run.glancing = nil
		if run.glanced < len(batch) {
			return fmt.Errorf("a turn of shard %d answers %d of %d queries", i, run.glanced, len(batch))
		}
	}
	return nil
}

// searches asks for each job of a queue how each of its groups sees it.
func searches(q *restartQueue, jobs []*restartJob) (ops []queue.Op) {
	for _, j := range jobs {
		for _, name := range q.names() {
			ops = append(ops, queue.Op{Kind: queue.Service, ID: j.id, Ask: &queue.Ask{
				What: queue.AskSearch, Queue: q.tube, Group: name, Limits: &queue.Limits{}}})
		}
	}
	return ops
}

// watchGroups finds out who has been sent what, and holds that against what may be.
func (run *restartRun) watchGroups(i int) error {
	m := run.model
	m.touched = false
	if err := run.findAuto(i); err != nil {
		return err
	}
	for _, tube := range restartQueues {
		q := m.queue(tube)
		if m.shardOf(tube) != i {
			continue
		}
		jobs := m.in(tube)
		asked := queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: &queue.Limits{}}
		ops := append([]queue.Op{{Kind: queue.Service, Ask: &asked}}, searches(q, jobs)...)
		if err := run.glance(i, ops); err != nil {
			return err
		}
		if n := asked.Attrs.Length; n != len(jobs) {
			return fmt.Errorf("queue %s has %d items, want %d", tube, n, len(jobs))
		}
		ops = ops[1:]
		for k, name := range q.names() {
			for n, j := range jobs {
				if err := m.saw(q, j, q.view(slices.Index(restartGroups[:], name)), &ops[n*len(q.names())+k].Ask.Search); err != nil {
					return fmt.Errorf("job %d of %s and group %s: %w", j.id, tube, name, err)
				}
			}
		}
		if err := m.fed(q, jobs); err != nil {
			return fmt.Errorf("queue %s: %w", tube, err)
		}
	}
	return nil
}

// findAuto takes in what consumers with auto-commit have been sent. Before that, consumers
// of the first group may have got what has become ready.
func (run *restartRun) findAuto(i int) error {
	m := run.model
	for _, tube := range restartQueues {
		q := m.queue(tube)
		if m.shardOf(tube) != i || !q.autoPush() {
			continue
		}
		ready := line(m.in(tube), nil)
		if q.first >= 0 && q.first != autoGroup {
			ops := searches(&restartQueue{tube: tube, first: q.first}, ready)
			if err := run.glance(i, ops); err != nil {
				return err
			}
			for k, j := range ready {
				if f := &ops[k].Ask.Search; f.Pending && f.Consumer != "" {
					m.hold(j, nil)
					j.user = f.Consumer
				}
			}
		}
		m.pushAuto(q)
	}
	return nil
}

// saw takes in where a job is for a group: a view, or the first group.
func (m *restartModel) saw(q *restartQueue, j *restartJob, v *restartView, f *queue.SearchInfo) error {
	if f.Code != j.code || f.Reason != j.reason {
		return fmt.Errorf("the last negative is %q, %q, want %q, %q", f.Code, f.Reason, j.code, j.reason)
	}
	user, returns, mayGet := &j.user, j.rebalances, j.state == queue.Ready
	if v != nil {
		s := j.stake(v)
		user, returns, mayGet = &s.user, s.returns, s.has && !s.done
	}
	if f.Pending {
		returns++
	}
	switch u := q.users[f.Consumer]; {
	case f.Deliveries != returns:
		return fmt.Errorf("%d deliveries, want %d", f.Deliveries, returns)
	case f.Consumer == *user && v == nil && f.Pending != (j.state == queue.Reserved):
		return fmt.Errorf("pending %t in state %v", f.Pending, j.state)
	case f.Consumer == *user:
		return nil
	case *user != "" || !mayGet || u == nil || u.stopped || u.box == nil:
		return fmt.Errorf("%q has it, want %q", f.Consumer, *user)
	}
	if v == nil {
		m.hold(j, nil)
	}
	*user = f.Consumer
	return nil
}

// fed checks the windows of consumers, and that none waits for what is there for it.
func (m *restartModel) fed(q *restartQueue, jobs []*restartJob) error {
	for name, u := range q.users {
		v := q.view(u.group)
		has, idle := 0, 0
		for _, j := range jobs {
			switch {
			case v == nil && j.user == name, v != nil && j.stake(v).user == name:
				has++
			case v == nil && j.state == queue.Ready, v != nil && j.undelivered(v):
				idle++
			}
		}
		if u.box != nil && !u.auto && has > u.window {
			return fmt.Errorf("%s has %d items and a window of %d", name, has, u.window)
		}
		if u.box != nil && !u.stopped && idle > 0 && (u.auto || has < u.window) {
			return fmt.Errorf("%s has %d items and a window of %d, and %d wait to be sent", name, has, u.window, idle)
		}
	}
	return nil
}

// line lists what a view, or the first group, is yet to be sent, in order.
func line(jobs []*restartJob, v *restartView) []*restartJob {
	list := slices.DeleteFunc(slices.Clone(jobs), func(j *restartJob) bool {
		return v == nil && j.state != queue.Ready || v != nil && !j.undelivered(v)
	})
	slices.SortFunc(list, byPriority)
	return list
}

// restart is a job as a start brings it back, in a state: a view has a job if it is there
// and not delayed.
func (q *restartQueue) restart(j *restartJob, state queue.JobState) {
	j.state = state
	for i := range q.views {
		v := &q.views[i]
		s := j.stake(v)
		s.has = s.done || state != queue.Delayed && v.gets(j)
	}
}

// differGroups holds what each group knows after a start against what a log says.
func differGroups(state map[uint64]restartJob, found map[uint64]restartFound) error {
	for _, tube := range restartQueues {
		var jobs []*restartJob
		q := &restartQueue{tube: tube, first: -1}
		for id, v := range state {
			if v.tube == tube && v.queue != nil {
				q = v.queue
			} else if v.tube == tube {
				j := v
				j.state = found[id].info.State // a delay may be over
				jobs = append(jobs, &j)
			}
		}
		for _, j := range jobs {
			q.restart(j, j.state)
		}
		for _, j := range jobs {
			for k, name := range q.names() {
				f := found[j.id].groups[k]
				v := q.view(slices.Index(restartGroups[:], name))
				want := queue.SearchInfo{Deliveries: j.rebalances, Code: j.code, Reason: j.reason}
				if v != nil {
					want.Deliveries = j.stake(v).returns
				}
				want.WaitCount = max(0, slices.Index(line(jobs, v), j))
				if f != want {
					return fmt.Errorf("job %d of %s is %+v for group %s, want %+v", j.id, tube, f, name, want)
				}
			}
		}
	}
	return nil
}

// findQueues asks what queues are there, and how their groups see the jobs.
func (run *restartRun) findQueues(found map[uint64]restartFound) error {
	length := map[string]int{}
	for _, o := range found {
		length[o.info.Tube]++
	}
	ids := slices.Sorted(maps.Keys(found))
	for n, tube := range restartTubes {
		i := ShardOf(tube, run.router.Shards())
		a := &queue.Ask{What: queue.AskAttrs, Queue: tube, Limits: &queue.Limits{}}
		if b, err := run.ask(i, queue.Op{Kind: queue.Service, Ask: a}); err != nil || b.Ops[0].Status != queue.OK {
			return cmp.Or(err, fmt.Errorf("queue %s tells no attributes", tube))
		}
		if a.Attrs.Length != length[tube] || a.Attrs.ConsumersTotal != 0 {
			return fmt.Errorf("queue %s is %+v, and has %d items", tube, *a.Attrs, length[tube])
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
				if b, err := run.ask(i, queue.Op{Kind: queue.Service, ID: id, Ask: s}); err != nil || b.Ops[0].Status != queue.OK {
					return cmp.Or(err, fmt.Errorf("job %d of %s is not found", id, tube))
				}
				o.groups = append(o.groups, s.Search)
			}
			found[id] = o
		}
	}
	return nil
}

// drainGroups has each group that is left sent all that it is yet to be sent, in order.
func (run *restartRun) drainGroups(c *restartClient) error {
	m := run.model
	for _, tube := range restartQueues {
		q := m.queue(tube)
		for _, name := range q.names() {
			want := line(m.in(tube), q.view(slices.Index(restartGroups[:], name)))
			box := newInbox()
			op := queue.Op{Kind: queue.Service, Ask: &queue.Ask{
				What: queue.AskWatch, Queue: tube, Group: name, User: "last", Limits: run.limits(tube),
				Receiver: box, Window: 1000, IndexOnly: true}}
			if err := c.begin(m.shardOf(tube), []queue.Op{op}); err != nil {
				return err
			}
			if err := c.settle(); err != nil {
				return err
			}
			// What is sent by a turn is there before the next one is answered.
			if _, err := run.ask(m.shardOf(tube), queue.Op{Kind: queue.Totals}); err != nil {
				return err
			}
			if err := q.sent(box, name, want); err != nil {
				return fmt.Errorf("at the end, %s: %w", tube, err)
			}
		}
	}
	return nil
}

func (q *restartQueue) sent(box *inbox, group string, want []*restartJob) error {
	var got []queue.Item
	for _, p := range box.take() {
		got = append(got, p.Items...)
	}
	v := q.view(slices.Index(restartGroups[:], group))
	for n, it := range got {
		if n >= len(want) || it.Index != want[n].id {
			return fmt.Errorf("group %s is sent %+v in place %d", group, it, n)
		}
		returns := want[n].rebalances
		if v != nil {
			returns = want[n].stake(v).returns
		}
		if it.Delivery != 1+returns {
			return fmt.Errorf("group %s is sent %+v, which came back %d times", group, it, returns)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("group %s is sent %d items, want %d", group, len(got), len(want))
	}
	return nil
}
