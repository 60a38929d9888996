package schedule

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"beanfield/shard/queue"
)

// Shards is what a Keeper needs of the router.
type Shards interface {
	// Tick applies a PutTick or NoteTick operation in the shard of its tube, and waits for the log.
	Tick(op *queue.Op)
	// Ticks calls fn with the last tick of each schedule, and its tube.
	Ticks(fn func(tube string, t queue.Tick))
}

// Keeper has the jobs of schedules put while this process has the shards.
type Keeper struct {
	shards Shards
	log    *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	list   []*entry // in the order of the list; of the goroutine, but for what mu guards
	stop   chan struct{}
	ended  chan struct{} // closed when the goroutine has ended; nil before the first
	closed bool
}

// entry is a schedule that is kept.
type entry struct {
	Schedule
	course course
	noted  bool // where it begins is in the log

	info    Info   // mu
	refused int64  // the last tick whose put was refused
	lost    uint64 // ticks that were given up, and not logged yet
	ahead   bool   // its last tick lies ahead, and that was logged
}

const (
	// longest is how long the goroutine sleeps at most, so that it notices a clock that was changed.
	longest = time.Minute
	// again is how soon a put is tried again that was refused.
	again = time.Second
	// portion is how many jobs are put for a schedule before others have their turn.
	portion = 100
)

// New makes a keeper without schedules.
func New(shards Shards, log *slog.Logger) *Keeper {
	return &Keeper{shards: shards, log: log, now: time.Now}
}

// Set brings another list of schedules, soon. Those that stay go on; what is known of others is
// forgotten. Once over is closed, or if it is nil, nothing is put any more for the list before.
func (k *Keeper) Set(list []Schedule) (over <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	if len(list) == 0 && k.ended == nil && !k.known() {
		return nil
	}
	before, old := k.ended, k.list
	k.end()
	k.list = make([]*entry, len(list))
	for i, s := range list {
		k.list[i] = &entry{Schedule: s, info: Info{Schedule: s}}
	}
	k.stop, k.ended = make(chan struct{}), make(chan struct{})
	go k.run(before, old, k.list, k.stop, k.ended)
	return before
}

// known says whether anything is noted of any schedule.
func (k *Keeper) known() (any bool) {
	k.shards.Ticks(func(string, queue.Tick) { any = true })
	return any
}

// end tells the goroutine to end.
func (k *Keeper) end() {
	if k.stop != nil {
		close(k.stop)
		k.stop = nil
	}
}

// Close ends it, for good. Nothing uses the shards any more when it returns without an error.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	k.end()
	ended := k.ended
	k.mu.Unlock()
	if ended == nil {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return errors.New("schedule: a put is still under way")
	}
}

// Infos are how the schedules are getting on, in the order of the list.
func (k *Keeper) Infos() []Info {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]Info, len(k.list))
	for i, e := range k.list {
		all[i] = e.info
	}
	return all
}

// run keeps a list, when the goroutine of the one before has ended.
func (k *Keeper) run(before <-chan struct{}, old, list []*entry, stop <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	if before != nil {
		<-before
	}
	if !k.begin(old, list) {
		return
	}
	for {
		wait := k.look(list, stop)
		select {
		case <-stop:
			return
		case <-time.After(wait):
		}
	}
}

// begin finds out how far the schedules have come. It reports false if there are none.
func (k *Keeper) begin(old, list []*entry) bool {
	notes := map[string][]note{}
	k.shards.Ticks(func(tube string, t queue.Tick) { notes[t.Schedule] = append(notes[t.Schedule], note{tube, t}) })
	now := k.now().Unix()
	for _, e := range list {
		k.mu.Lock()
		e.start(old, notes[e.Name], now)
		e.show(now)
		k.mu.Unlock()
	}
	k.forget(list, notes)
	return len(list) > 0
}

// note is what a shard has noted of a schedule in a tube.
type note struct {
	tube string
	queue.Tick
}

// start begins or goes on, from the latest note.
func (e *entry) start(old []*entry, notes []note, now int64) {
	e.course.calendar, e.course.missed = e.Rule.Calendar, e.Missed
	last, known := int64(0), false
	rule := e.Rule.sum()
	for _, n := range notes {
		if n.At >= last {
			last, known = n.At, n.Rule == rule
		}
		e.noted = e.noted || n.tube == e.Tube && n.Rule == rule
	}
	if i := slices.IndexFunc(old, func(o *entry) bool { return o.Name == e.Name }); i >= 0 {
		was := old[i]
		e.info.Puts, e.info.Lost, e.info.Refused = was.info.Puts, was.info.Lost, was.info.Refused
		if was.Rule.sum() == rule && was.course.seen > 0 {
			c := was.course
			e.course.last, e.course.since, e.course.seen, e.refused = max(c.last, last), c.since, c.seen, was.refused
			return
		}
	}
	if !known {
		last = max(last, now)
	}
	e.course.begin(last, now)
}

// forget drops the notes that are of no use any more, when what replaces them is in the log.
func (k *Keeper) forget(list []*entry, notes map[string][]note) {
	tubes := map[string]string{}
	for _, e := range list {
		tubes[e.Name] = e.Tube
		if !e.noted && !k.mark(e) {
			return // the next start does it
		}
	}
	for name, all := range notes {
		for _, n := range all {
			if tube, is := tubes[name]; !is || tube != n.tube {
				n.Forget = true
				k.shards.Tick(&queue.Op{Kind: queue.NoteTick, Tube: n.tube, Options: &queue.Options{Tick: &n.Tick}})
			}
		}
	}
}

// mark notes how far a schedule has come, without a job. It reports whether the log has it.
func (k *Keeper) mark(e *entry) bool {
	op := e.op(queue.NoteTick, e.course.last)
	k.shards.Tick(&op)
	e.noted = op.Status == queue.OK
	return e.noted
}

func (e *entry) op(kind queue.Kind, at int64) queue.Op {
	tick := &queue.Tick{Schedule: e.Name, At: at, Rule: e.Rule.sum()}
	return queue.Op{Kind: kind, Tube: e.Tube, Options: &queue.Options{Tick: tick}}
}

// look puts what is due, and says how long nothing will be.
func (k *Keeper) look(list []*entry, stop <-chan struct{}) time.Duration {
	wait := longest
	for _, e := range list {
		if over(stop) {
			return 0
		}
		now := k.now()
		if !e.noted && !k.mark(e) {
			wait = min(wait, again)
		}
		wait = min(wait, k.serve(e, now.Unix(), stop))
		if next := e.course.upcoming(now.Unix()); next != 0 {
			wait = min(wait, time.Unix(next, 0).Sub(k.now()))
		}
		k.warn(e, now)
	}
	return max(wait, 0)
}

// over says that another list has come.
func over(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// serve puts the jobs of one schedule, and says how soon it wants to go on.
func (k *Keeper) serve(e *entry, now int64, stop <-chan struct{}) time.Duration {
	due, lost := e.course.due(now)
	var puts, refused uint64
	wait, why := longest, ""
	if lost > 0 && len(due) == 0 {
		k.mark(e)
	}
	for i, at := range due {
		if i == portion || over(stop) {
			wait = 0
			break
		}
		op := e.op(queue.PutTick, at)
		op.Pri, op.Delay, op.TTR = e.Pri, e.Delay, e.TTR
		op.Options.Delay = int64(e.Delay) * int64(time.Second)
		op.Take(e.Body)
		k.shards.Tick(&op)
		if op.Status != queue.OK {
			if wait, why = again, refusals[op.Status]; e.refused < at {
				e.refused, refused = at, 1
			}
			break
		}
		e.noted = true
		e.course.done(at)
		puts += uint64(op.Count)
	}
	k.tell(e, why, lost)
	k.mu.Lock()
	defer k.mu.Unlock()
	e.info.Puts += puts
	e.info.Lost += uint64(lost)
	e.info.Refused += refused
	if e.info.Refusal = why; puts > 0 || lost > 0 || e.info.Next.Unix() <= now {
		e.show(now)
	}
	return wait
}

// tell logs that jobs are refused, when that begins, and how many ticks were given up, when that is over.
func (k *Keeper) tell(e *entry, why string, lost int) {
	e.lost += uint64(lost)
	switch {
	case why != "" && e.info.Refusal != why:
		k.log.Warn("a scheduled job was refused, and is tried again", "schedule", e.Name, "tube", e.Tube, "why", why)
	case why == "" && e.lost > 0:
		k.log.Warn("ticks of a schedule were missed", "schedule", e.Name, "tube", e.Tube, "ticks", e.lost)
		e.lost = 0
	}
}

// refusals are why a put may be refused.
var refusals = map[queue.Status]string{queue.NoRoom: "no room", queue.Refused: "draining",
	queue.Failed: "the log has failed"}

// show notes the last and the next tick. mu is held.
func (e *entry) show(now int64) {
	c := &e.course
	e.info.Last, e.info.Next = time.Time{}, moment(c.upcoming(now))
	if c.next(c.last-1) == c.last { // otherwise it is where the schedule began
		e.info.Last = moment(c.last)
	}
}

func moment(t int64) time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.Unix(t, 0).UTC()
}

// warn says once that a schedule is silent because the clock has been set back.
func (k *Keeper) warn(e *entry, now time.Time) {
	ahead := e.course.last > now.Add(longest).Unix()
	if ahead && !e.ahead {
		k.log.Warn("the last tick of a schedule lies ahead of the clock, and none comes before it",
			"schedule", e.Name, "last", moment(e.course.last).Format(time.RFC3339))
	}
	e.ahead = ahead
}
