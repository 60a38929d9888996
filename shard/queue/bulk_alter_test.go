package queue

import (
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/storage"
)

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
	for _, id := range op.Several.IDs {
		switch op.Status = statusOf[x.m.Alter(id, with)]; op.Status {
		case OK:
			op.Count++
		case NoRoom:
			op.Several.Refused++
		case Failed:
			return
		}
	}
	op.Status = OK
}

// The key of a job has no room for one hop more: a move leaves it where it is, and a dead letter is buried.
func TestJobThatHasMovedTooOften(t *testing.T) {
	w := newWorld(t)
	w.run("policy default deliveries=1 to=far")
	w.dir.Last, w.bodies[1] = 1, "x"
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
