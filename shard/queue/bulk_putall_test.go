package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
)

// putAll runs puts together, turn after turn if it takes several, and says how each was answered.
func (u *user) putAll(puts ...Op) *Batch {
	u.w.t.Helper()
	b := &Batch{Client: &u.client, Ops: append([]Op{{Kind: PutAll, Limit: uint32(len(puts))}}, puts...)}
	u.w.s.renew()
	for !u.w.s.Run(u.w.now, b) {
		for i := range puts {
			if b.Next != 0 || b.Ops[1+i].Status != OK || b.Ops[1+i].ID != 0 {
				u.w.t.Fatalf("put %d has begun, and not all are done", i)
			}
		}
		u.w.s.Tick(u.w.now)
	}
	u.w.lastID = u.w.dir.Last
	return b
}

// putTogether runs the word put-all: puts as putSaying reads them, with a / between them, together. The answer has the
// ids, or is what all of them are answered.
func (u *user) putTogether(args []string) string {
	u.w.t.Helper()
	u.w.lastID = max(u.w.lastID, u.w.dir.Last)
	var puts []Op
	for args := range strings.SplitSeq(strings.Join(args, " "), "/") {
		puts = append(puts, putSaying("body", strings.Fields(args)))
		u.w.bodies[u.w.lastID+uint64(len(puts))] = "body"
	}
	b := u.putAll(puts...)
	var ids []string
	for i := range puts {
		if p := &b.Ops[1+i]; p.Status != OK {
			return saidTo(p)
		}
		ids = append(ids, fmt.Sprint(b.Ops[1+i].ID))
	}
	return strings.Join(ids, " ")
}

// putAll puts some jobs together in both, and compares.
func (x *machine) putAll() {
	c, u := x.client()
	if u == nil || len(x.m.Jobs) > 30 {
		return
	}
	x.forget()
	one, named := "", x.pick(2, "options") == 0
	if named { // what ends at times of its own is all in one tube
		one = choose(x, "tube", machineTubes...)
		if x.atTube(one); x.m.Clients[c].Waiting > 0 {
			return
		}
	}
	x.forget()
	var puts []Op
	from := max(x.w.lastID, x.w.dir.Last) + 1
	for i := range uint64(x.pick(5, "how many")) {
		op := Op{Kind: Put, Pri: choose[uint32](x, "pri", 0, 1, 1023, 1024), TTR: choose[uint32](x, "ttr", 1, 2, 3, 10)}
		op.Tube = cmp.Or(one, choose(x, "tube", machineTubes...))
		if u := x.m.Clients[c].Used; u != "" && (one == "" || u == one) && x.pick(3, "used") == 0 {
			op.Tube = ""
		}
		body := x.body(from + i)
		if named {
			body = x.w.bodies[from] // nobody knows yet which ids there will be
			x.w.bodies[from+i] = body
			x.options(&op)
		}
		op.Data, op.Size = []byte(body), uint32(len(body))
		puts = append(puts, op)
	}
	b := u.putAll(slices.Clone(puts)...)
	var jobs []*naive.Job
	for i, op := range puts {
		got := &b.Ops[1+i]
		j := &naive.Job{Tube: cmp.Or(op.Tube, x.m.Clients[c].Used), Body: string(op.Data), Pri: op.Pri, Delay: op.Delay,
			TTR: op.TTR, Said: saidOf(op.Options)}
		if op.Options != nil {
			j.Tags = wordsOf(op.Options.Tags)
		}
		jobs = append(jobs, j)
		if got.Data != nil {
			x.w.t.Fatalf("B1: put %d still has its body", i)
		}
	}
	x.sync()
	want := statusOf[x.m.PutAll(jobs, from)]
	for i := range b.Ops {
		got := &b.Ops[i]
		if got.Status != want || i > 0 && (want == OK || want == Exists) && got.ID != jobs[i-1].ID {
			x.w.t.Fatalf("client %d: put %d of %d together is answered %v %d, want %v", c, i, len(puts), got.Status,
				got.ID, want)
		}
	}
	if x.serves || x.m.Policies != nil || x.w.s.opening.N > 0 {
		x.tick()
	} else {
		x.compare()
	}
}

func putsOf(n, size int) (puts []Op) {
	for range n {
		puts = append(puts, Op{Kind: Put, Pri: 5, TTR: 60, Data: make([]byte, size), Size: uint32(size)})
	}
	return puts
}

// Y4: all are put, or none, whatever is in the way.
func TestPutAll(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		n      int
		want   Status
		jobs   int // afterwards
	}{
		"there is room":                    {"a use default", 3, OK, 3},
		"none":                             {"a use default", 0, OK, 0},
		"the disk is full":                 {"log full", 3, NoRoom, 0},
		"the server drains":                {"drain", 3, Refused, 0},
		"the tube has room for two more":   {"policy default jobs=3\na put 1 0 60 -> 1", 3, NoRoom, 1},
		"the tube has room for three more": {"policy default jobs=4\na put 1 0 60 -> 1", 3, OK, 4},
		"too many bytes":                   {"policy default bytes=29", 3, NoRoom, 0},
		"older ones go": {"policy default jobs=4 full=oldest\na put 1 0 60 -> 1\na put 1 0 60 " +
			"-> 2\na put 1 0 60 -> 3", 3, OK, 4},
		"not enough of the others may go": {"policy default jobs=4 full=oldest\na put 1 9 60 -> 1\na put 1 9 60 " +
			"-> 2\na put 1 0 60 -> 3", 3, NoRoom, 3},
		"more than the tube ever has":       {"policy default jobs=2 full=oldest", 3, NoRoom, 0},
		"of a tube where jobs must expire ": {"policy default jobs=9 expire=1s\na put 1 0 60 -> 1", 3, OK, 4},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.run(c.before)
			b := w.user("a").putAll(putsOf(c.n, 10)...)
			for i := range b.Ops {
				if got := b.Ops[i].Status; got != c.want {
					t.Errorf("put %d: %v, want %v", i, got, c.want)
				}
			}
			if got := w.s.tubes["default"].jobs(); got != c.jobs {
				t.Errorf("%d jobs, want %d", got, c.jobs)
			}
			if err := w.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A batch of puts goes on behind those that are put together, and a failed log fails all of them.
func TestPutAllInABatch(t *testing.T) {
	w := newWorld(t)
	u := w.user("a")
	b := &Batch{Client: &u.client, Ops: append([]Op{{Kind: PutAll, Limit: 2}}, putsOf(3, 1)...)}
	if !w.s.Run(w.now, b) || b.Next != 4 {
		t.Fatalf("it ends at %d", b.Next)
	}
	for i, want := range []uint64{0, 1, 2, 3} {
		if b.Ops[i].ID != want {
			t.Errorf("operation %d: job %d, want %d", i, b.Ops[i].ID, want)
		}
	}
	b.Fail()
	for i := range b.Ops {
		if b.Ops[i].Status != Failed {
			t.Errorf("operation %d has not failed", i)
		}
	}
}

// While a tube's jobs are still being ranked, nothing is put; then all are, in one turn, although older jobs
// have to go for them.
func TestPutAllWaitsForTheRanking(t *testing.T) {
	for _, share := range []int{0, moving, 1000} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			w := newManyWorld(t, 0, share)
			const n = 3 * Slice
			for range n {
				w.user("a").apply(putsOf(1, 1)[0])
			}
			w.lastID = n
			w.policy("default", []string{fmt.Sprintf("jobs=%d", n), "full=oldest"})
			b := w.user("a").putAll(putsOf(100, 1)...)
			if b.Ops[1].Status != OK || b.Ops[100].ID != n+100 {
				t.Errorf("%+v", b.Ops[100])
			}
			if got := w.s.tubes["default"].jobs(); got != n {
				t.Errorf("%d jobs, want %d", got, n)
			}
			if w.s.share >= 0 && share > 0 {
				t.Errorf("%d of the share is left", w.s.share)
			}
		})
	}
}

// Y4: a key that is taken keeps all from being put, whoever has it.
func TestPutAllWithKeys(t *testing.T) {
	newWorld(t).run(`
		a put-all key=k / key=l pri=7 / key=k tube=one -> 1 2 3
		a put-all key=m / key=k          -> exists 1
		a put-all key=m / key=m          -> exists 0
		a put-all key=m / key=m tube=one -> 4 5
		a put-with key=l                 -> exists 2
		a stats-job 2                    -> pri=7
		restart
		a put-all key=n / key=m          -> exists 4
		a delete 4                       -> ok
		a put-all key=n / key=m          -> 6 7
		policy default jobs=4
		a put-all key=n                  -> exists 6  # whatever room there is
		a put-all key=o                  -> noroom
	`)
}

// A put that has come before is answered with its job; what else there is in the batch is put.
func TestPutAllOnce(t *testing.T) {
	newWorld(t).run(`
		a put-all once=o key=k / once=p key=l / size=3 -> 1 2 3
		a put-all once=o key=k / once=p key=l / size=3 -> 1 2 4
		a delete 1                      -> ok
		restart
		drain
		a put-all once=o key=x / once=p -> 1 2
		a put-all once=o / size=1       -> refused
		restart
		log full
		a put-all once=p / once=o       -> 2 1
		a put-all once=p / once=q       -> noroom
		log room
		policy default jobs=4
		a put-all once=q key=m / once=q key=m / once=o -> 7 7 1  # the second is the first, sent again
		a put-all once=r / once=q                      -> noroom
		a put-with once=q                              -> 7
	`)
}

// Delays, TTRs, ages, deliveries and tags are those of each put.
func TestPutAllWithOptions(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put-all delay=250ms / ttr=1250ms pri=1 tag=k:v / expire=1s delay=9s / deliveries=1 pri=2 -> 1 2 3 4
		a stats-job 1 -> delay=1 state=delayed
		a poll        -> 2
		a poll        -> 4
		a poll        -> timeout
		+250ms
		a poll        -> 1
		a release 4 0 0 -> ok
		a stats-job 4 -> state=buried
		+750ms
		a stats-job 3 -> no
		+249ms
		a stats-job 2 -> state=reserved
		+1ms
		a stats-job 2 -> state=ready timeouts=1
		restart
		a stats-job 2 -> ttr=2
	`)
	if tags := w.s.tagsOf(w.s.index.find(&w.s.jobs, 2)); string(tags) != string(MakeTags(map[string]string{"k": "v"})) {
		t.Errorf("the job has tags %q", tags)
	}
}

// Keys are in the log with the jobs, in one turn, and nothing else is.
func TestPutAllInTheLog(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put-all key=k once=o / key=l -> 1 2
		a put-all key=m / key=l        -> exists 2
		a put-all once=o / key=m       -> 1 3
	`)
	if want := []string{"put 1 ready", "put 2 ready", "put 3 ready"}; !slices.Equal(w.log.Records, want) {
		t.Errorf("logged is %q, want %q", w.log.Records, want)
	}
}
