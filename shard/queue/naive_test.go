package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// What package naive says of an operation, in the words of this package.

var statusOf = map[naive.Status]Status{
	naive.OK: OK, naive.NotFound: NotFound, naive.TimedOut: TimedOut, naive.DeadlineSoon: DeadlineSoon,
	naive.Waiting: Waiting, naive.Empty: Empty, naive.NoRoom: NoRoom, naive.Failed: Failed, naive.TooLong: TooLong,
	naive.Exists: Exists,
}

// sync tells the model what time it is, and how full the log is.
func (x *machine) sync() {
	x.m.Now = x.w.now
	x.m.NoPuts, x.m.NoUpdates = x.w.log.Full >= queuetest.Full, x.w.log.Full >= queuetest.Packed
}

// model runs one operation of client c in the model, and fills in the answer.
func (x *machine) model(c int, op *Op, body string) {
	x.sync()
	m, me := x.m, x.m.Clients[c]
	switch op.Kind {
	case Put:
		j := &naive.Job{ID: op.ID, Tube: cmp.Or(op.Tube, me.Used), Body: body, Pri: op.Pri, Delay: op.Delay,
			TTR: op.TTR, Said: saidOf(op.Options)}
		if op.Options != nil {
			j.Tags = wordsOf(op.Options.Tags)
		}
		op.Status = statusOf[m.Put(j)]
		op.ID = j.ID
	case PutTick, NoteTick:
		x.modelTick(op, body)
	case Reserve:
		op.found(m.Reserve(c, op.Poll))
	case Claim:
		op.found(m.Claim(c), naive.Empty)
	case Offer:
		j, tag := m.Next(c)
		if op.found(j, naive.Empty); j != nil {
			op.Pri, op.Tag = m.AgedPri(j), x.w.tagOf(c, tag)
		}
	case Wait:
		op.Status = Waiting
		m.Wait(c)
	case Withdraw:
		me.Waiting = 0
	case Kick:
		op.Count = m.Kick(me.Used, op.Limit)
	case PeekReady, PeekDelayed, PeekBuried:
		state := map[Kind]naive.State{PeekReady: naive.Ready, PeekDelayed: naive.Delayed,
			PeekBuried: naive.Buried}[op.Kind]
		op.found(m.First(state, me.Used), naive.NotFound)
	case Truncate:
		n, status := m.Truncate(string(op.Data), op.truncated()...)
		op.Count, op.Status = n, statusOf[status]
	case Pause:
		op.Status = statusOf[m.Pause(string(op.Data), op.Delay)]
	case Use:
		m.Use(c, string(op.Data))
	case Unuse:
		m.Use(c, "")
	case Watch:
		m.Watch(c, string(op.Data))
	case Ignore:
		m.Ignore(c, string(op.Data))
	case Detach:
		m.Detach(c, nil)
	case Soonest:
	case AlterSeveral:
		x.modelAlter(x.w.users[fmt.Sprint(c)].alters, op)
	case DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral:
		x.modelSeveral(c, op)
	default:
		x.modelByID(c, op)
	}
}

// found is the answer of an operation that may find a job.
func (op *Op) found(j *naive.Job, otherwise naive.Status) {
	if op.Status = statusOf[otherwise]; j != nil {
		op.Status, op.ID = OK, j.ID
	}
}

// modelByID runs an operation that names a job.
func (x *machine) modelByID(c int, op *Op) {
	status := naive.OK
	switch m := x.m; op.Kind {
	case Delete:
		if j := m.Job(op.ID); j != nil && j.State != naive.Reserved {
			op.Unheld = true
		}
		status = m.Delete(c, op.ID)
	case ReserveJob:
		_, status = m.ReserveJob(c, op.ID)
	case Quarantine:
		status = m.Quarantine(c, op.ID)
	case KickJob:
		status = m.KickJob(op.ID)
	case Touch:
		status = m.Touch(c, op.ID, op.touchTTR())
	case Release:
		status = m.Release(c, op.ID, op.Pri, op.delay())
	case Bury:
		status = m.Bury(c, op.ID, op.Pri)
	case Peek:
		_, status = m.Peek(op.ID)
	}
	op.Status = statusOf[status]
}

// modelSeveral runs an operation on several jobs: one after the other.
func (x *machine) modelSeveral(c int, op *Op) {
	for _, id := range op.Several.IDs {
		one := Op{Kind: eachOf[op.Kind], ID: id, Pri: op.Pri, Delay: op.Delay, Options: op.Options}
		x.modelByID(c, &one)
		if op.Status = one.Status; op.Status == Failed {
			return
		}
		if op.Status = OK; one.Status == OK {
			op.Count++
			if one.Unheld {
				op.Several.Apart++
			}
		}
	}
}

// modelAsk runs one operation of the queue service, whose consumer is client i.
func (x *machine) modelAsk(i int, op *Op, body string) {
	x.sync()
	a, m := op.Ask, x.m
	status := naive.OK
	switch a.What {
	case AskPut:
		status = m.PutItem(&naive.Job{ID: op.ID, Tube: a.Queue, Body: body, Pri: op.Pri, Tags: wordsOf(a.Tags)})
	case AskGet:
		g := naive.Get{Queue: a.Queue, From: a.Index, Tags: wordsOf(a.Tags), Length: a.Length, Take: a.Take}
		if g.Newest = a.Index == NewestIndex; g.Newest {
			g.From = 0
		}
		if a.Getter != nil {
			g.Name = a.Getter.(*caller).name
		}
		switch {
		case m.Get(g, a.Wait):
		case a.Wait:
			status = naive.Waiting
		default:
			status = naive.Empty
		}
	case AskUnget:
		m.Unget(a.Getter.(*caller).name)
	case AskTruncate:
		m.EndItems(a.Queue, func(j *naive.Job) bool { return j.ID < a.Index })
	case AskDelete:
		m.EndItems(a.Queue, func(j *naive.Job) bool { return slices.Contains(a.Indexes, j.ID) })
	case AskWatch:
		start := a.Index
		if start == NewestIndex {
			start = m.Newest(a.Queue)
		}
		m.Subscribe(i, a.Window, a.AutoCommit, wordsOf(a.Tags), start)
	case AskLeave:
		m.Unsubscribe(i)
	case AskCommit:
		m.Commit(a.Queue, a.Group, a.Indexes)
	case AskNegative:
		m.Refuse(i, a.Code == CodeShutdown, a.Code, a.Reason, a.Indexes)
	case AskDropGroup:
		status = m.DropGroup(a.Queue, a.Group)
	}
	op.Status = statusOf[status]
}

var stateOf = map[naive.State]JobState{naive.Ready: Ready, naive.Delayed: Delayed, naive.Reserved: Reserved,
	naive.Buried: Buried}

func (x *machine) sums(tube string) (s Sums) {
	count := func(state naive.State) int {
		return x.m.Counts(tube, func(j *naive.Job) bool { return j.State == state })
	}
	return Sums{
		Ready: count(naive.Ready), Delayed: count(naive.Delayed), Reserved: count(naive.Reserved),
		Buried:  count(naive.Buried),
		Urgent:  x.m.Counts(tube, func(j *naive.Job) bool { return j.State == naive.Ready && j.Pri < 1024 }),
		Damaged: x.m.Counts(tube, func(j *naive.Job) bool { return j.State == naive.Buried && j.Quarantined }),
	}
}

func jobInfo(now int64, j *naive.Job) JobInfo {
	info := JobInfo{
		ID: j.ID, Tube: j.Tube, State: stateOf[j.State], Pri: j.Pri, Age: (now - j.Created) / second, Delay: j.Delay,
		TTR: j.TTR, Counters: j.Counters,
	}
	if j.Deadline != 0 {
		info.TimeLeft = (j.Deadline - now) / second
	}
	return info
}

func (x *machine) tubeInfo(t *naive.Tube) TubeInfo {
	n := x.sums(t.Name)
	info := TubeInfo{
		Name: t.Name, Urgent: n.Urgent, Ready: n.Ready, Reserved: n.Reserved, Delayed: n.Delayed, Buried: n.Buried,
		Total: t.Total, Deletes: t.Deletes, Pauses: t.Pauses, Pause: int64(t.Pause),
	}
	info.Using, info.Watching, info.Waiting = x.m.Members(t.Name)
	if t.PausedUntil != 0 {
		info.PauseLeft = (t.PausedUntil - x.w.now) / second
	}
	return info
}

// logged is what the log must have of a job.
func logged(j *naive.Job) storage.Job {
	l := storage.Job{
		ID: j.ID, Tube: j.Tube, State: storage.Ready, Pri: j.Pri, Delay: j.Delay, TTR: j.TTR,
		Size: uint32(len(j.Body)), Created: j.Created + testEpoch, Counters: j.Counters,
	}
	switch j.State {
	case naive.Delayed:
		l.State, l.Deadline = storage.Delayed, j.Deadline+testEpoch
	case naive.Buried:
		l.State = storage.Buried
	case naive.Passed:
		l.State = storage.Passed
	}
	return l
}

// bySubscriber lists what was pushed by whom it was pushed to, each in its order.
func bySubscriber(list []string) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int {
		a, _, _ = strings.Cut(a, ":")
		b, _, _ = strings.Cut(b, ":")
		return strings.Compare(a, b)
	})
	return list
}

func texts(given []naive.Gift) (list []string) {
	for _, g := range given {
		list = append(list, fmt.Sprintf("%d:%d", g.Client, g.ID))
	}
	return list
}

// touchTTR is the time for which a touch is; 0: the job's own.
func (op *Op) touchTTR() int64 {
	if op.Options == nil {
		return 0
	}
	return op.Options.TTR
}
