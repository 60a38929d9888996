package queue

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// alterJobs moves or changes several jobs of a tube.
func (x *machine) alterJobs() {
	c, u := x.client()
	if u == nil {
		return
	}
	a := &Altering{Filter: Filter{Tube: choose(x, "from", machineTubes...)}}
	tube := a.Tube
	if x.pick(3, "how") > 0 {
		if a.To = choose(x, "to", machineTubes...); a.To == a.Tube {
			return
		}
		tube = a.To
		a.As = choose(x, "as", 0, 0, Ready, Buried)
	} else {
		a.Set = Fields(1 + x.pick(7, "fields"))
		a.Pri = choose[uint32](x, "pri", 0, 1, 1023, 1024)
		a.Delay, a.TTR = choose[int64](x, "delay", 0, 1000, 2250)*millisecond, choose[int64](x, "ttr", 1000, 2000, 250,
			1750)*millisecond
	}
	op := Op{Kind: AlterSeveral}
	many := 6
	if x.m.Policies != nil {
		many = 2 // one at most: between the turns of more, jobs may end that are too old
	}
	for range x.pick(many, "how many") {
		op.Data = AppendID(op.Data, x.id())
	}
	if x.atTube(tube); x.m.Clients[c].Waiting > 0 {
		return
	}
	u.alters = a
	x.do(c, u, op, "")
	u.alters = nil
}

// modelAlter runs it in the model.
func (x *machine) modelAlter(a *Altering, op *Op) {
	with := naive.Alter{From: a.Tube, To: a.To, As: map[JobState]naive.State{Ready: naive.Ready,
		Buried: naive.Buried}[a.As]}
	if a.Set&FieldPri != 0 {
		with.Pri = &a.Pri
	}
	if a.Set&FieldDelay != 0 {
		with.Delay = &a.Delay
	}
	if a.Set&FieldTTR != 0 {
		with.TTR = &a.TTR
	}
	for list := op.Data; len(list) > 0; list = list[idBytes:] {
		switch op.Status = statusOf[x.m.Alter(binary.LittleEndian.Uint64(list), with)]; op.Status {
		case OK:
			op.Count++
		case NoRoom:
			op.Size++
		case Failed:
			return
		}
	}
	op.Status = OK
}

func TestMoveInAShard(t *testing.T) {
	runScripts(t, []script{
		{"jobs keep their states, ids and counters", `
			a put 5 0 60 -> 1
			a put 5 9 60 -> 2
			a put 5 0 60 -> 3
			a put 5 0 60 -> 4
			a reserve-job 3 -> 3
			a bury 3 7
			b reserve-job 4 -> 4
			c watch one
			c ignore default
			c reserve -> waiting
			a move default one 4 2 3 9 -> 2
			a move default one 1 -> 1 => c:1
			a stats-job 2 -> id=2 tube=one state=delayed pri=5 delay=9 left=9
			a stats-job 3 -> id=3 tube=one state=buried pri=7 buries=1 reserves=1
			a stats-job 4 -> tube=default state=reserved
			a stats-tube one -> total=3 delayed=1 buried=1 reserved=1 ready=0
			restart
			a stats-job 1 -> tube=one state=ready
			a stats-job 2 -> tube=one state=delayed left=9
			a stats-job 3 -> tube=one state=buried
			d watch one
			d ignore default
			d reserve -> 1
			d reserve -> waiting
			+9s => d:2`},
	})
}

func TestMoveByRules(t *testing.T) {
	runScripts(t, []script{
		{"or become ready or buried", `
			a put 5 0 60 -> 1
			a put 5 9 60 -> 2
			a move default one buried 1 2 -> 2
			a move one default ready 1 -> 1
			a stats-job 1 -> tube=default state=ready delay=0
			a stats-job 2 -> tube=one state=buried delay=9`},
		{"a full disk moves nothing", `
			a put 5 0 60 -> 1
			log packed
			a move default one 1 -> failed
			a change pri=3 1 -> failed
			a stats-job 1 -> tube=default pri=5`},
		{"the tube's policy refuses, or drops", `
			policy one jobs=1
			policy two jobs=1 full=oldest
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			a put 5 0 60 -> 3
			a move default one 1 2 -> 1
			a stats-job 2 -> tube=default
			a move default two 2 3 -> 2
			a stats-job 2 -> no
			a stats-job 3 -> tube=two`},
		{"a tube that has no room whatever it drops drops nothing", `
			policy one bytes=10 full=oldest
			policy two jobs=1 full=least
			a use one
			a put 5 0 60 5 -> 1
			a put 5 0 60 5 -> 2
			a use two
			a put 5 9 60 5 -> 3
			a use default
			a put 5 0 60 11 -> 4
			a move default one 4 -> 0
			a move default two 4 -> 0
			a stats-tube one -> ready=2
			a stats-tube two -> ready=0 delayed=1
			a stats-job 4 -> tube=default state=ready`},
		{"a tube ends with its last job", `
			a use one
			a put 5 0 60 -> 1
			a use default
			a move one two 1 -> 1
			a stats-tube one -> no
			a stats-tube two -> ready=1`},
		{"keys stay behind, windows too", `
			a put-with key=k for=10s -> 1
			a put-with key=l -> 2
			a move default one 1 2 -> 2
			a put-with key=k -> exists 1
			a put-with key=l -> 4
			a put-with key=k tube=one -> 5
			restart
			+10s
			a put-with key=k -> 6`},
	})
}

func TestChangeJobs(t *testing.T) {
	runScripts(t, []script{
		{"priority, delay and TTR of jobs that nobody holds", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			a put 5 9 60 -> 3
			a put 5 0 60 -> 4
			b reserve-job 4 -> 4
			a change pri=3,ttr=7s 2 3 4 -> 2
			a stats-job 2 -> state=ready pri=3 ttr=7
			a stats-job 3 -> state=delayed pri=3 ttr=7 left=9
			a stats-job 4 -> pri=5 ttr=60
			a change delay=0s 3 -> 1
			a change delay=5s 1 -> 1
			restart
			a stats-job 1 -> state=delayed delay=5 left=5 ttr=60
			a stats-job 2 -> state=ready pri=3 ttr=7
			a stats-job 3 -> state=ready pri=3 ttr=7 delay=0
			c reserve -> 2`},
		{"buried ones keep their order, and have no delay", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			a reserve -> 1
			a bury 1 5
			a reserve -> 2
			a bury 2 5
			a change pri=1 1 -> 1
			a change delay=1s 1 -> 0
			a peek-buried -> 1
			restart
			a peek-buried -> 1
			a stats-job 1 -> pri=1 state=buried`},
		{"a TTR in milliseconds ends", `
			a put-with ttr=1500ms -> 1
			a change ttr=3s 1 -> 1
			a reserve -> 1
			b reserve -> waiting
			+2999ms
			+1ms => b:1`},
	})
}

// Times may have milliseconds.
func TestChangeTimes(t *testing.T) {
	runScripts(t, []script{
		{"parts of a second, of jobs with keys and without, and over a restart", `
			a put 5 0 60                   -> 1
			a put-with key=k               -> 2
			a put-with once=o              -> 3
			a put-with key=l once=p ttr=5s -> 4
			a change ttr=1250ms 1 2 3 4    -> 4
			a stats-job 1                  -> ttr=2
			a put-with key=k               -> exists 2
			a put-with once=o              -> 3
			a reserve-job 2                -> 2
			+1249ms
			a stats-job 2                  -> state=reserved
			+1ms
			a stats-job 2                  -> state=ready timeouts=1
			restart
			tick
			a stats-job 1                  -> ttr=2
			a put-with key=l               -> exists 4
			a put-with key=k               -> exists 2
			a put-with once=p              -> 4
			a reserve-job 1                -> 1
			a reserve-job 4                -> 4
			+1249ms
			a stats-job 4                  -> state=reserved
			+1ms
			a stats-job 4                  -> state=ready
			a stats-job 1                  -> state=ready
			a change ttr=1s 1 2            -> 2
			a change ttr=500ms 2           -> 1
			a delete 2                     -> ok
			a delete 4                     -> ok
			a put-with key=k               -> 6   # what is left of job 4 has the id 5
			a put-with key=l               -> 7
			a put-with once=p              -> 4
			a put-with once=o              -> 3
			restart
			a reserve-job 1                -> 1
			+999ms
			a stats-job 1                  -> state=reserved
			+1ms
			a stats-job 1                  -> state=ready
			a change delay=250ms 1         -> 1
			a stats-job 1                  -> state=delayed delay=1
			+249ms
			a stats-job 1                  -> state=delayed
			+1ms
			a stats-job 1                  -> state=ready`},
	})
}

// A long list is moved in turns.
func TestMoveInTurns(t *testing.T) {
	const n = 1000
	w := newWorld(t)
	a := w.user("a")
	op := Op{Kind: AlterSeveral}
	for id := uint64(1); id <= n; id++ {
		a.apply(Op{Kind: Put, Pri: 3, TTR: 600, Data: []byte("x"), Size: 1})
		op.Data = AppendID(op.Data, id)
	}
	b := &Batch{Ops: []Op{op}, Alter: &Altering{Filter: Filter{Tube: "default"}, To: "one"}}
	turns := 1
	for ; !w.s.Run(w.now, b); turns++ {
		w.s.Tick(w.now)
		if err := w.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Ops[0]; got.Status != OK || got.Count != n || w.s.tubes["one"].ready.N != n {
		t.Errorf("it ends with %v, %d jobs", got.Status, got.Count)
	}
	if least := n / Slice; turns < least || turns > 4*least {
		t.Errorf("it takes %d turns", turns)
	}
}

// A job that leaves keeps its key and its expiry until its copy is safe, and takes neither with it into the next job's
// record.
func TestMoveAway(t *testing.T) {
	w := newWorld(t)
	w.s.Local = func(tube string) bool { return tube != "far" }
	w.run(`
		a put-with key=k expire=5s -> 1
		a move default far 1 -> 1
		a stats-job 1 -> no
		a put-with key=k -> exists 1`)
	load := &Batch{Ops: []Op{{Kind: Load, Limit: 9}}}
	w.s.Run(w.now, load)
	p := load.Parcels[0]
	if p.Job.Tube != "far" || p.Cause != ForMove || p.Job.Key() == p.Source {
		t.Fatalf("%+v", p)
	}
	end := func(kind Kind) {
		b := &Batch{Ops: []Op{{Kind: kind, ID: p.Source}}}
		if w.s.Run(w.now, b); b.Ops[0].Status != OK {
			t.Fatal(b.Ops[0].Status)
		}
	}
	end(ComeHome)
	w.run(`
		a stats-job 1 -> state=ready tube=default
		a put-with key=k -> exists 1
		restart
		a put-with key=k -> exists 1`)
	w.s.Local = func(tube string) bool { return tube != "far" }
	w.run("a move default far 1 -> 1")
	w.s.Run(w.now, &Batch{Ops: []Op{{Kind: Load, Limit: 9}}})
	end(Depart)
	if w.s.extra.keys.N != 0 || w.s.extra.dying.N != 0 {
		t.Errorf("%d keys, %d jobs that get too old", w.s.extra.keys.N, w.s.extra.dying.N)
	}
	w.lastID, w.s.Leaves = w.dir.Last, false
	w.run(`
		a put-with key=k -> 2
		+9s
		a stats-job 2 -> state=ready`)
	if w.log.Full != queuetest.Roomy || fmt.Sprint(w.s.travel.trips) != "map[]" {
		t.Error(w.s.travel.trips)
	}
}

// A dead letter from another shard goes into a tube that a moved job would not, and no job is dropped in vain for
// either.
func TestArrivalInAFullTube(t *testing.T) {
	for why, want := range map[Cause]Status{ForMove: NoRoom, ForReserves: OK} {
		w := newWorld(t)
		w.run(`
			policy default bytes=10 full=oldest
			a put 5 0 60 5 -> 1`)
		p := Parcel{Body: [][]byte{[]byte("eleven byte")}, Cause: why}
		p.Job = storage.Job{ID: 9, Tube: "default", State: storage.Ready, TTR: 60, Size: 11,
			Item: &storage.Item{Route: &storage.Route{Hops: 1}}}
		b := &Batch{Ops: []Op{{Kind: Arrive}}, Parcels: []Parcel{p}}
		if w.s.Run(w.now, b); b.Ops[0].Status != want || w.s.tubes["default"].ready.N != 1 {
			t.Errorf("%v: the answer is %v, and %d jobs are ready", why, b.Ops[0].Status, w.s.tubes["default"].ready.N)
		}
	}
}

// The key of a job has no room for one hop more: a move leaves it where it is, and a dead letter is buried.
func TestJobThatHasMovedTooOften(t *testing.T) {
	w := newWorld(t)
	w.run("policy default deliveries=1 to=far")
	w.lastID, w.bodies[1] = 1, "x"
	w.log.Put(&storage.Job{ID: 1, Tube: "default", State: storage.Ready, TTR: 9, Size: 1,
		Item: &storage.Item{Route: &storage.Route{Hops: storage.MaxHops}}}, []byte("x"))
	w.replay()
	w.s.Local = func(tube string) bool { return tube != "far" }
	for _, step := range [][]string{{"move", "default", "far", "1"}, {"poll"}, {"release", "1", "0", "0"}} {
		w.user("a").do(step[0], step[1:])
	}
	if d := w.s.tubes["default"]; d.buried.N != 1 || d.transit != 0 {
		t.Errorf("%d jobs are buried, %d leave", d.buried.N, d.transit)
	}
}

// altering reads what a script says of a move, "FROM TO [STATE]", or of a change in the used tube, "pri=N,ttr=TIME".
func (u *user) altering(verb string, args []string) (ids []string) {
	if u.alters = new(Altering); verb == "move" {
		u.alters.Tube, u.alters.To, args = args[0], args[1], args[2:]
		for _, as := range []JobState{Ready, Buried} {
			if args[0] == as.String() {
				u.alters.As, args = as, args[1:]
			}
		}
		return args
	}
	u.alters.Tube = u.client.used.name
	for pair := range strings.SplitSeq(args[0], ",") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "pri":
			u.alters.Set, u.alters.Pri = u.alters.Set|FieldPri, uint32(number(value))
		case "delay":
			u.alters.Set, u.alters.Delay = u.alters.Set|FieldDelay, duration(value)
		case "ttr":
			u.alters.Set, u.alters.TTR = u.alters.Set|FieldTTR, duration(value)
		}
	}
	return args[1:]
}
