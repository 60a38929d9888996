package queue

import (
	"fmt"
	"testing"

	"beanfield/shard/queue/queuetest"
)

// Items whose times pass go to others in the order of their deadlines, whether they stand
// in a consumer's row or not.
func TestDeadlinesOutOfOrder(t *testing.T) {
	f := newPushField(0, 0)
	c := &Client{}
	f.apply(c, Op{Kind: Use, Data: []byte("tube0")})
	f.watchAll("tube0", 1, 100)
	before := f.id
	for _, ttr := range []uint32{5, 7, 7, 3, 9, 4} {
		f.id++
		f.apply(c, Op{Kind: Put, ID: f.id, TTR: ttr})
	}
	f.endTurn()
	holder := f.s.tubes["tube0"].service.first.users["0"]
	if holder.row.N != 4 || holder.client.ttrs.N != 2 {
		t.Fatalf("%d deadlines in the row, %d in the heap", holder.row.N, holder.client.ttrs.N)
	}
	for _, nth := range []uint64{4, 6, 1, 2, 3, 5} {
		want := before + nth
		e := holder.client.first()
		if got := f.s.jobs.At(e.Slot).id(); got != want {
			t.Errorf("the next deadline is that of item %d, want %d", got, want)
		}
		if at := f.s.Next(); at != int64(e.Major) {
			t.Errorf("the shard wakes at %d, the deadline is %d", at, e.Major)
		}
		f.ask(&Ask{What: AskCommit, Queue: "tube0", Group: "g", User: "0", Limits: &f.limits, Indexes: []uint64{want}})
		f.endTurn()
		if err := f.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// However many consumers come and go, few are remembered.
func TestDepartedConsumersAreBounded(t *testing.T) {
	f := newPushField(0, 1)
	for i := range departedMost + 50 {
		k := &sink{f: f, user: fmt.Sprint(i)}
		f.ask(&Ask{What: AskWatch, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k, Window: 1})
		f.endTurn()
		f.ask(&Ask{What: AskLeave, Queue: "q", Group: "g", User: k.user, Limits: &f.limits, Receiver: k})
		f.endTurn()
	}
	if err := f.s.Check(); err != nil {
		t.Error(err)
	}
	users := f.s.tubes["q"].service.first.users
	if len(users) != departedMost || users["49"] != nil || users["50"] == nil {
		t.Errorf("%d consumers are remembered, want the latest %d", len(users), departedMost)
	}
	f.now += forgetAfter
	f.endTurn()
	if len(users) != 0 {
		t.Errorf("%d consumers are remembered for ever", len(users))
	}
}

// Delivery batches that come back are used again, as far as they take little memory together.
func TestSpareBatches(t *testing.T) {
	s := NewState(Config{Directory: queuetest.Deaf{}})
	for range 100 {
		s.spare(&DeliveryBatch{Bytes: make([]byte, 30<<10)})
		s.spare(&DeliveryBatch{Bytes: make([]byte, spareMost)})
	}
	kept := len(s.spares)
	if s.spareBytes > sparesMost || kept < 60 || kept > 70 {
		t.Errorf("%d batches of %d bytes are kept", kept, s.spareBytes)
	}
	for range kept {
		if p := s.newDeliveryBatch(); cap(p.Bytes) != 30<<10 {
			t.Errorf("a batch of %d bytes", cap(p.Bytes))
		}
	}
	if p := s.newDeliveryBatch(); p.Bytes != nil || s.spareBytes != 0 {
		t.Errorf("%d bytes are kept of none", s.spareBytes)
	}
}
