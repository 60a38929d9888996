package router

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"beanfield/shard/queue"
)

// restartReceiver is the connection of a consumer.
type restartReceiver struct{ got chan uint64 }

func (r *restartReceiver) Receive(p *queue.DeliveryBatch, ok bool) {
	for _, it := range p.Items {
		if ok {
			r.got <- it.Index
		}
	}
}

func (r *restartReceiver) Replaced() {}
func (r *restartReceiver) Removed()  {}

// service asks something of a queue and must be told that it is done.
func (run *restartRun) askQueue(t *testing.T, what queue.What, tube, group string, change func(*queue.Op)) *queue.Ask {
	t.Helper()
	op := &queue.Op{Kind: queue.Service, Ask: &queue.Ask{
		What: what, Queue: tube, Group: group, User: "user", Limits: &queue.Limits{MaxDelivery: 1}, Length: 1,
	}}
	change(op)
	if run.router.Ask(op); op.Status != queue.OK {
		t.Fatalf("operation %d on %s for %q ends with status %d", what, tube, group, op.Status)
	}
	return op.Ask
}

// watched has a consumer of a group watch a queue, and returns what it is sent: as many
// items as it says, and nothing else.
func (run *restartRun) watched(t *testing.T, tube, group string, want int) (ids []uint64) {
	t.Helper()
	r := &restartReceiver{make(chan uint64, 100)}
	run.askQueue(t, queue.AskWatch, tube, group, func(op *queue.Op) {
		op.Ask.Receiver, op.Ask.Window, op.Ask.IndexOnly = r, 100, true
	})
	for range want {
		select {
		case id := <-r.got:
			ids = append(ids, id)
		case <-time.After(5 * time.Minute):
			t.Fatalf("group %s of %s gets %d, want %d items", group, tube, ids, want)
		}
	}
	// What is sent by a turn is there before the next one is answered.
	run.askQueue(t, queue.AskAttrs, tube, "", func(*queue.Op) {})
	if len(r.got) > 0 {
		t.Errorf("group %s of %s gets %d, and %d more", group, tube, ids, len(r.got))
	}
	return ids
}

// cut goes on with what a power cut leaves, on another number of shards.
func (run *restartRun) cut(t *testing.T, shards int) {
	t.Helper()
	left := run.disk.Cut(0, nil)
	run.close(t)
	run.disk = left
	if err := run.open(shards); err != nil {
		t.Fatal(err)
	}
}

func numbers(from, to uint64, ok func(uint64) bool) (ids []uint64) {
	for id := from; id <= to; id++ {
		if ok(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// What each group of a queue has committed stays so, through power cuts and changes of
// the number of shards; an item ends when all groups have committed it.
func TestGroupsThroughRestarts(t *testing.T) {
	run := newSafeRun(t)
	for n := range 20 {
		run.askQueue(t, queue.AskPut, "S", "", func(op *queue.Op) {
			op.Ask.Tags = queue.MakeTags(map[string]string{"n": fmt.Sprint(n + 1)})
		})
	}
	all := numbers(1, 20, func(uint64) bool { return true })
	odd := numbers(1, 20, func(id uint64) bool { return id%2 == 1 })
	thirds := numbers(1, 20, func(id uint64) bool { return id%3 == 0 })
	for _, group := range []string{"first", "view"} {
		if got := run.watched(t, "S", group, 20); !slices.Equal(got, all) {
			t.Errorf("%s gets %d", group, got)
		}
	}
	run.askQueue(t, queue.AskCommit, "S", "first", func(op *queue.Op) { op.Ask.Indexes = odd })
	run.askQueue(t, queue.AskCommit, "S", "view", func(op *queue.Op) { op.Ask.Indexes = thirds })
	for _, shards := range []int{5, 2} {
		run.cut(t, shards)
		if a := run.askQueue(t, queue.AskAttrs, "S", "", func(*queue.Op) {}); a.Attrs.Length != 17 || a.Attrs.GroupsTotal != 2 {
			t.Errorf("the queue is %+v", a.Attrs)
		}
		for _, id := range numbers(1, 20, func(id uint64) bool { return id%2 == 0 || id%3 != 0 }) {
			a := run.askQueue(t, queue.AskGet, "S", "", func(op *queue.Op) { op.Ask.Index = id })
			if n, _ := a.Found.Tags(0).Get("n"); a.Found.Items[0].Index != id || string(n) != fmt.Sprint(id) {
				t.Errorf("item %d is item %d with tags %q", id, a.Found.Items[0].Index, a.Found.Tags(0))
			}
		}
		even := numbers(1, 20, func(id uint64) bool { return id%2 == 0 })
		if got := run.watched(t, "S", "first", len(even)); !slices.Equal(got, even) {
			t.Errorf("first gets %d after a restart", got)
		}
		rest := numbers(1, 20, func(id uint64) bool { return id%3 != 0 })
		if got := run.watched(t, "S", "view", len(rest)); !slices.Equal(got, rest) {
			t.Errorf("view gets %d after a restart", got)
		}
	}
	for _, group := range []string{"first", "view"} {
		run.askQueue(t, queue.AskCommit, "S", group, func(op *queue.Op) { op.Ask.Indexes = all })
	}
	run.cut(t, 3)
	if a := run.askQueue(t, queue.AskAttrs, "S", "", func(*queue.Op) {}); a.Attrs.Length != 0 || a.Attrs.GroupsTotal != 2 {
		t.Errorf("at the end the queue is %+v", a.Attrs)
	}
	run.close(t)
}

// A dead letter stays in the rear queue, with its tags and what the last negative said.
func TestADeadLetterThroughRestarts(t *testing.T) {
	run := newSafeRun(t)
	run.askQueue(t, queue.AskPut, "S", "", func(op *queue.Op) { op.Ask.Tags = queue.MakeTags(map[string]string{"k": "v"}) })
	run.watched(t, "S", "first", 1)
	run.askQueue(t, queue.AskNegative, "S", "first", func(op *queue.Op) {
		op.Ask.Indexes, op.Ask.Code, op.Ask.Reason = []uint64{1}, "Broken", "no lens"
	})
	rear := "S" + queue.RearSuffix
	for _, shards := range []int{3, 7, 2} {
		run.cut(t, shards)
		a := run.askQueue(t, queue.AskGet, rear, "", func(*queue.Op) {})
		if v, _ := a.Found.Tags(0).Get("k"); a.Found.Items[0].Index != 1 || string(v) != "v" {
			t.Errorf("%d shards: the rear queue has %+v", shards, a.Found.Items)
		}
		a = run.askQueue(t, queue.AskSearch, rear, "first", func(op *queue.Op) { op.ID = 1 })
		if a.Search.Code != "Broken" || a.Search.Reason != "no lens" {
			t.Errorf("%d shards: the item is %+v", shards, a.Search)
		}
		if a := run.askQueue(t, queue.AskAttrs, "S", "", func(*queue.Op) {}); a.Attrs.Length != 0 || a.Attrs.Rear != 1 {
			t.Errorf("%d shards: the queue is %+v", shards, a.Attrs)
		}
	}
	run.close(t)
}
