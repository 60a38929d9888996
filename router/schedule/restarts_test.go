package schedule

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"slices"
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// disk is what shards have on disk, and a machine that may be cut off at any operation.
type disk struct {
	ticks map[[2]string]queue.Tick // by tube and schedule
	puts  map[string][]int64       // by schedule
	tubes map[string]bool          // that take no job now
	fuse  int                      // operations until the power is cut; below 0: never
	early bool                     // it is cut before the operation, and not after it
}

type cut struct{}

func (d *disk) Tick(op *queue.Op) {
	d.fuse--
	if d.fuse == 0 && d.early {
		panic(cut{})
	}
	at := [2]string{op.Tube, op.Options.Tick.Schedule}
	last, noted := d.ticks[at]
	switch {
	case op.Kind == queue.NoteTick && op.Options.Tick.Forget:
		delete(d.ticks, at)
	case noted && last.At >= op.Options.Tick.At && op.Kind == queue.PutTick:
	case op.Kind == queue.NoteTick && (!noted || last.At <= op.Options.Tick.At):
		d.ticks[at] = *op.Options.Tick
	case op.Kind == queue.PutTick && d.tubes[op.Tube]:
		op.Status = queue.NoRoom
	case op.Kind == queue.PutTick:
		d.ticks[at], op.Count = *op.Options.Tick, 1
		d.puts[op.Options.Tick.Schedule] = append(d.puts[op.Options.Tick.Schedule], op.Options.Tick.At)
	}
	if d.fuse == 0 {
		panic(cut{})
	}
}

func (d *disk) Ticks(fn func(string, queue.Tick)) {
	for at, t := range d.ticks {
		fn(at[0], t)
	}
}

// course of the world: a server that is killed, restarted and told other lists, and a clock that is not
// always right.
type world struct {
	*testing.T
	rnd   *rand.Rand
	disk  *disk
	now   time.Time
	list  []Schedule
	begun map[string]int64 // where each schedule began
	k     *Keeper          // nil while it is down
}

func (w *world) start() {
	w.k = New(w.disk, slog.New(slog.NewTextHandler(io.Discard, nil)))
	w.k.now = func() time.Time { return w.now }
	w.set()
}

// set brings the list to the keeper, as its goroutine does.
func (w *world) set() {
	old := w.k.list
	w.k.list = nil
	for _, s := range w.list {
		w.k.list = append(w.k.list, &entry{Schedule: s, info: Info{Schedule: s}})
	}
	w.powered(func() { w.k.begin(old, w.k.list) })
}

// powered runs something until the power is cut. What was not begun by then begins with its first note.
func (w *world) powered(run func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(cut); !is {
				panic(r)
			}
			w.k = nil
		}
		for at, t := range w.disk.ticks {
			if _, known := w.begun[at[1]]; !known {
				w.begun[at[1]] = t.At
			}
		}
	}()
	run()
}

// step does one thing, at random.
func (w *world) step(jumps bool) {
	switch n := w.rnd.Intn(40); {
	case w.k == nil:
		if n < 10 {
			w.list[w.rnd.Intn(len(w.list))].Tube = fmt.Sprint("t", w.rnd.Intn(3))
		}
		w.now = w.now.Add(time.Duration(w.rnd.Int63n(int64(10 * time.Minute))))
		w.disk.fuse, w.disk.early = w.rnd.Intn(30), w.rnd.Intn(2) == 0
		w.start()
	case n == 0:
		w.k = nil
	case n == 1:
		tube := fmt.Sprint("t", w.rnd.Intn(3))
		w.disk.tubes[tube] = !w.disk.tubes[tube] && w.rnd.Intn(2) == 0
	case n == 2:
		w.list[w.rnd.Intn(len(w.list))].Tube = fmt.Sprint("t", w.rnd.Intn(3))
		w.set()
	case n == 3 && jumps:
		w.now = w.now.Add(time.Duration(w.rnd.Int63n(int64(4*time.Hour))) - 2*time.Hour)
	default:
		var wait time.Duration
		if w.powered(func() { wait = w.k.look(w.k.list, nil) }); w.rnd.Intn(4) == 0 {
			wait = time.Duration(w.rnd.Int63n(int64(wait) + 1))
		}
		w.now = w.now.Add(wait)
	}
}

// check compares what was put with the ticks that there were, if none was to be given up.
func (w *world) check(seed int64) {
	for i := range w.list {
		s := &w.list[i]
		puts := w.disk.puts[s.Name]
		if !slices.IsSorted(puts) || len(slices.Compact(slices.Clone(puts))) != len(puts) {
			w.Fatalf("seed %d: TK1: %s: %v", seed, s.Name, puts)
		}
		c := course{calendar: s.Rule.Calendar}
		n := 0
		for t := c.next(w.begun[s.Name]); t != 0 && len(puts) > 0 && t <= puts[len(puts)-1]; t = c.next(t) {
			switch {
			case n < len(puts) && puts[n] == t:
				n++
			case s.Missed == All:
				w.Fatalf("seed %d: %s: %s was lost, between %d and %d", seed, s.Name, moment(t), puts[max(0, n-1)],
					puts[n])
			}
		}
		if n != len(puts) {
			w.Fatalf("seed %d: %s: %s is no tick", seed, s.Name, moment(puts[n]))
		}
	}
}

// TK1 to TK5: no tick is lost or doubled, over 10,000 restarts at any point, tubes that take nothing, other tubes,
// jumps of the clock, and changes of daylight saving time.
func TestRestarts(t *testing.T) {
	restarts, most := 0, 10_000
	if testing.Short() {
		most = 500
	}
	for seed := int64(1); restarts < most; seed++ {
		rnd := rand.New(rand.NewSource(seed))
		z := zone(t, zones[rnd.Intn(len(zones))])
		begin := time.Date(2026, 1, 1, 0, 0, 0, 0, z)
		if _, end := begin.ZoneBounds(); !end.IsZero() {
			begin = end.Add(-time.Duration(rnd.Int63n(int64(6 * time.Hour))))
			if _, end := begin.Add(12 * time.Hour).ZoneBounds(); rnd.Intn(2) == 0 && !end.IsZero() {
				begin = end.Add(-3 * time.Hour)
			}
		}
		w := &world{T: t, rnd: rnd, now: begin, begun: map[string]int64{}, disk: &disk{
			ticks: map[[2]string]queue.Tick{}, puts: map[string][]int64{}, tubes: map[string]bool{}}}
		for i, e := range []string{"* * * * *", "*/7 * * * *", "30 2 * * *", "15,45 */2 * * *"} {
			w.list = append(w.list, Schedule{Name: fmt.Sprint("s", i), Tube: "t0", Missed: Missed(rnd.Intn(3)),
				Rule: Rule{Cron: e, Zone: z.String(), Calendar: must.Get(NewCalendar(e, z))}})
		}
		jumps := rnd.Intn(2) == 0
		for range 600 {
			if w.k == nil {
				restarts++
			}
			w.step(jumps)
		}
		w.settle(seed)
	}
}

// settle lets the server catch up, and finds nothing missing.
func (w *world) settle(seed int64) {
	w.disk.fuse, w.disk.tubes = -1, map[string]bool{}
	if w.k == nil {
		w.start()
	}
	for range 1000 {
		if w.k.look(w.k.list, nil) > 0 {
			break
		}
	}
	for _, e := range w.k.list {
		if next := e.course.next(e.course.last); next <= w.now.Unix() {
			w.Fatalf("seed %d: at %s, %s is still due", seed, w.now, moment(next))
		}
		if puts := w.disk.puts[e.Name]; e.Missed == All && len(puts) > 0 &&
			e.course.next(puts[len(puts)-1]) <= min(w.now.Unix(), e.course.last) {
			w.Fatalf("seed %d: %s was lost", seed, e.Name)
		}
	}
	w.check(seed)
}
