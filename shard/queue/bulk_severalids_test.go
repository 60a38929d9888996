package queue

import (
	"fmt"
	"testing"
)

// severalByID does something to several jobs at once, of which the client holds some. Jobs of one
// tube only are delayed together.
func (x *machine) severalByID() {
	c, u := x.client()
	if u == nil {
		return
	}
	op := Op{
		Kind: choose(x, "kind", DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral), Pri: choose[uint32](x, "pri",
			0, 1, 1023, 1024),
	}
	if ttr := choose[int64](x, "ttr", 0, 0, 1000, 5000, 750); ttr > 0 && op.Kind != ReleaseSeveral {
		op.Options = &Options{TTR: ttr * millisecond}
	}
	tubes := map[string]bool{}
	for range x.pick(8, "how many") {
		id := x.held(c)
		if j := x.m.Job(id); j != nil {
			tubes[j.Tube] = true
		}
		op.Data = AppendID(op.Data, id)
	}
	if len(tubes) == 1 && op.Kind == ReleaseSeveral {
		for tube := range tubes {
			x.atTube(tube)
		}
		op.Options = &Options{Delay: choose[int64](x, "delay", 0, 0, 1000, 2000, 1250) * millisecond}
		op.Delay = uint32((op.Options.Delay + second - 1) / second)
	}
	if x.m.Clients[c].Waiting > 0 {
		return
	}
	x.do(c, u, op, "")
}

// several reads what comes before the ids in a script.
func (op *Op) several(args []string) (ids []string) {
	switch op.Kind {
	case ReleaseSeveral:
		op.Pri, op.Delay = uint32(number(args[0])), uint32(number(args[1]))
		return args[2:]
	case BurySeveral:
		op.Pri = uint32(number(args[0]))
		return args[1:]
	case TouchSeveral:
		if args[0] != "0" {
			op.Options = &Options{TTR: duration(args[0])}
		}
		return args[1:]
	}
	return args
}

// touchTTR is the time for which a touch is; 0: the job's own.
func (op *Op) touchTTR() int64 {
	if op.Options == nil {
		return 0
	}
	return op.Options.TTR
}

func TestSeveralByID(t *testing.T) {
	runScripts(t, []script{
		{"deletes, also what nobody holds, and each once", `
			a put 5 0 60 -> 1
			a put 5 9 60 -> 2
			a put 5 0 60 -> 3
			a put 5 0 60 -> 4
			b poll -> 1
			a reserve-job 3 -> 3
			a bury 3 7
			a delete-several 1 2 9 3 2 4 -> 3
			b delete-several 1 1 -> 1
			a delete-several -> 0
			a totals -> urgent=0 ready=0 reserved=0 delayed=0 buried=0 timeouts=0 total=4`},
		{"releases what the client holds", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			a put 5 0 60 -> 3
			b poll -> 1
			b poll -> 2
			c poll -> 3
			d reserve -> waiting
			b release-several 9 0 1 2 2 3 -> 2 => d:1
			a stats-job 2 -> id=2 tube=default state=ready pri=9 age=0 delay=0 ttr=60 left=0 reserves=1 timeouts=0 releases=1 buries=0 kicks=0
			c release-several 7 3 3 -> 1
			e poll -> 2
			e reserve -> waiting
			a delete-several 2 -> 0
			+3s => e:3`},
		{"buries in the order of the list", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			b poll -> 1
			b poll -> 2
			b bury-several 3 2 1 -> 2
			a peek-buried -> 2`},
	})
}

func TestTouchSeveral(t *testing.T) {
	runScripts(t, []script{
		{"touches with a time of its own", `
			a put 5 0 10 -> 1
			a put 5 0 10 -> 2
			a put 5 0 10 -> 3
			b poll -> 1
			b poll -> 2
			b poll -> 3
			+5s
			b touch-several 0 1 9 -> 1
			b touch-several 30s 2 2 -> 2
			c touch-several 30s 3 -> 0
			c reserve -> waiting
			+5s => c:3
			b stats-job 2 -> id=2 tube=default state=reserved pri=5 age=10 delay=0 ttr=10 left=25 reserves=1 timeouts=0 releases=0 buries=0 kicks=0
			b touch 2
			b stats-job 2 -> id=2 tube=default state=reserved pri=5 age=10 delay=0 ttr=10 left=10 reserves=1 timeouts=0 releases=0 buries=0 kicks=0
			b touch-several 1250ms 2 -> 1
			+1249ms
			b stats-job 2 -> state=reserved
			+1ms
			b stats-job 2 -> state=ready timeouts=1`},
		{"a full disk ends a release in its middle, and no delete", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			b poll -> 1
			log packed
			b release-several 9 0 7 1 -> failed
			b bury-several 9 1 -> failed
			b touch-several 9s 1 -> 1
			b delete-several 1 2 -> 2`},
	})
}

// A long list is gone through in turns, and others go on between them.
func TestSeveralInTurns(t *testing.T) {
	const n = 1000
	for _, kind := range []Kind{DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			w := newWorld(t)
			a, b := w.user("a"), w.user("b")
			op := Op{Kind: kind, Pri: 3}
			for id := uint64(1); id <= n; id++ {
				a.apply(Op{Kind: Put, Pri: 3, TTR: 600, Data: []byte("x"), Size: 1})
				b.apply(Op{Kind: Reserve, Poll: true})
				op.Data = AppendID(op.Data, id)
			}
			batch := &Batch{Client: &b.client, Ops: []Op{op}}
			turns := 1
			for ; !w.s.Run(w.now, batch); turns++ {
				w.s.Tick(w.now) // renews the share
				if turns == 1 && kind == DeleteSeveral {
					b.apply(Op{Kind: Delete, ID: n})
				}
				if err := w.s.Check(); err != nil {
					t.Fatal(err)
				}
			}
			want := uint32(n)
			if kind == DeleteSeveral {
				want-- // which it has ended itself meanwhile
			}
			if got := batch.Ops[0]; got.Status != OK || got.Count != want {
				t.Errorf("it ends with %v, %d jobs", got.Status, got.Count)
			}
			if least := n / Slice; turns < least || turns > 4*least {
				t.Errorf("it takes %d turns", turns)
			}
		})
	}
}

// What the client has no right on is counted apart.
func TestSeveralDenied(t *testing.T) {
	w := newWorld(t)
	a, b := w.user("a"), w.user("b")
	op := Op{Kind: DeleteSeveral}
	for id := uint64(1); id <= 3; id++ {
		a.apply(Op{Kind: Put, TTR: 600})
		op.Data = AppendID(op.Data, id)
	}
	b.apply(Op{Kind: ReserveJob, ID: 2})
	batch := &Batch{Client: &b.client, Ops: []Op{op}, Authorizer: func(k Kind, _ string) bool {
		if k != Delete {
			t.Errorf("asked about %v", k)
		}
		return false
	}}
	w.s.Run(w.now, batch)
	if got := batch.Ops[0]; got.Status != OK || got.Count != 1 || got.To != 0 || got.Size != 2 {
		t.Errorf("%+v", got)
	}
}
