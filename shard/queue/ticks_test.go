package queue

import (
	"encoding/binary"
	"maps"
	"reflect"
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/storage"
)

// putTick has one of two schedules put a tick, again and again the same ones.
func (x *machine) putTick() {
	c := x.pick(machineClients, "client")
	if len(x.m.Jobs) > 30 || x.m.Clients[c].Waiting > 0 {
		return
	}
	tube := choose(x, "tube", machineTubes...)
	tick := &Tick{Schedule: choose(x, "schedule", "a", "b"), At: int64(x.pick(20, "at")), Rule: 7,
		Forget: x.pick(10, "forget") == 0}
	op := Op{Kind: PutTick, Tube: tube, Options: &Options{Tick: tick}, Delay: choose[uint32](x, "delay", 0, 0, 1), TTR: 5}
	op.Options.Delay = int64(op.Delay) * second
	if tick.Forget || x.pick(3, "mark") == 0 {
		op.Kind = NoteTick
		x.do(c, x.w.users[string(rune('0'+c))], op, "")
		return
	}
	x.atTube(tube)
	if x.m.Clients[c].Waiting > 0 {
		return
	}
	body := x.body(x.w.dir.Last + 1)
	op.Size, op.Data = uint32(len(body)), []byte(body)
	x.do(c, x.w.users[string(rune('0'+c))], op, body)
}

// modelTick runs an operation for a schedule.
func (x *machine) modelTick(op *Op, body string) {
	k := naive.Schedule{Tube: op.Tube, Name: op.Options.Tick.Schedule}
	if op.Kind == NoteTick {
		op.Status = statusOf[x.m.NoteTick(k, op.Options.Tick.At, op.Options.Tick.Forget)]
		return
	}
	put, status := x.m.PutTick(k, op.Options.Tick.At, &naive.Job{ID: op.ID, Tube: op.Tube, Body: body, Pri: op.Pri,
		Delay: op.Delay, TTR: op.TTR})
	if op.Status = statusOf[status]; put {
		op.Count = 1
	} else {
		op.ID = 0
	}
}

// compareTicks compares what is noted of schedules, also in the log.
func (x *machine) compareTicks() {
	got := map[naive.Schedule]int64{}
	x.w.s.Ticks(func(tube string, t Tick) { got[naive.Schedule{Tube: tube, Name: t.Schedule}] = t.At })
	logged := map[naive.Schedule]int64{}
	for tube, q := range x.w.log.Queues {
		for _, n := range q.Notes {
			if n.Kind != storage.NoteTick {
				continue
			}
			logged[naive.Schedule{Tube: tube, Name: n.Name}] = int64(binary.BigEndian.Uint64(n.Value))
		}
	}
	if !maps.Equal(got, x.m.Ticks) || !maps.Equal(logged, x.m.Ticks) {
		x.w.t.Fatalf("SK1: ticks %v, and %v in the log, want %v", got, logged, x.m.Ticks)
	}
}

// A state that is kept ready takes in ticks, and nothing else that is kept of a tube.
func TestAmendQueue(t *testing.T) {
	note := func(kind storage.NoteKind, value string) storage.Note {
		return storage.Note{Kind: kind, Name: "s", Value: []byte(value)}
	}
	tick, later, other := note(storage.NoteTick, "1234567890123456"), note(storage.NoteTick, "2234567890123456"),
		note(storage.NotePurge, "x")
	for what, c := range map[string]struct {
		was, is *storage.Queue
		ok      bool
	}{
		"a first tick": {nil, &storage.Queue{Notes: []storage.Note{tick}}, true},
		"a later tick": {&storage.Queue{Notes: []storage.Note{tick}},
			&storage.Queue{Notes: []storage.Note{later}}, true},
		"a forgotten one": {&storage.Queue{Notes: []storage.Note{tick}}, nil, true},
		"beside another": {&storage.Queue{Notes: []storage.Note{tick, other}},
			&storage.Queue{Notes: []storage.Note{later, other}}, true},
		"another note": {nil, &storage.Queue{Notes: []storage.Note{other}}, false},
		"one note less": {&storage.Queue{Notes: []storage.Note{tick, other}},
			&storage.Queue{Notes: []storage.Note{tick}}, false},
		"another value": {&storage.Queue{Notes: []storage.Note{other}},
			&storage.Queue{Notes: []storage.Note{note(storage.NotePurge, "y")}}, false},
		"a new queue": {nil, &storage.Queue{First: "g"}, false},
		"a queue's tick": {&storage.Queue{First: "g"}, &storage.Queue{First: "g", Notes: []storage.Note{tick}},
			false},
		"the end of a queue": {&storage.Queue{First: "g"}, nil, false},
	} {
		w := newWorld(t)
		var want []storage.Note
		for _, q := range []*storage.Queue{c.was, c.is} {
			if q != nil {
				q.Tube, want = "one", q.Notes
			}
		}
		if c.was != nil {
			w.s.RestoreQueue(c.was.Clone())
		}
		if c.is == nil {
			want = nil
		}
		if ok := w.s.AmendQueue("one", c.is); ok != c.ok || ok && !reflect.DeepEqual(w.s.notes["one"], want) {
			t.Errorf("%s: taken in %v, now %v", what, ok, w.s.notes)
		}
	}
}
