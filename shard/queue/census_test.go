package queue

import (
	"testing"

	"beanfield/shard/queue/policy"
)

// Bodies are kept in memory up to the budget, and its memory is used again when jobs inside it end. The figures say how
// many bytes are in memory and beyond.
func TestFiguresOfBodies(t *testing.T) {
	s, c := newTightState(), &Client{}
	s.runAll(t, c, Op{Kind: Use, Data: []byte("default")}, textOp(1, "12345678"), textOp(2, "abcdefgh"),
		textOp(3, "xy"))
	expect := func(jobs int, inside, outside int64) {
		t.Helper()
		if f := s.Figures(); f.Jobs != jobs || f.Inside != inside || f.Outside != outside || f.Tubes != 1 ||
			f.Sums.Ready != jobs {
			t.Errorf("the figures are %+v, want %d jobs, %d and %d bytes", f, jobs, inside, outside)
		}
	}
	expect(3, 10, 8)
	s.runAll(t, c, Op{Kind: Delete, ID: 1})
	expect(2, 2, 8)
	s.runAll(t, c, Op{Kind: Delete, ID: 2})
	expect(1, 2, 0)
	s.runAll(t, c, textOp(4, "abcdefgh"))
	expect(2, 10, 0)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// An item that a consumer refuses goes to others, and is a dead letter when it was sent as
// often as it may be. The census tells of it, and only the queue service's tubes are queues.
func TestFiguresOfTheQueueService(t *testing.T) {
	f := newField(0, 1)
	limits := &policy.Limits{MaxDelivery: 2, MaxUnsent: 1 << 20, DeadLetter: policy.FateBury}
	ask := func(a Ask) {
		t.Helper()
		a.Queue, a.Limits, a.Group, a.User = "q", limits, "g", "u"
		if op := f.apply(&f.clients[0], Op{Kind: Service, Pri: 5, Ask: &a}); op.Status != OK {
			t.Fatalf("%d: status %d", a.What, op.Status)
		}
		f.s.Tick(f.now)
	}
	ask(Ask{What: AskPut})
	ask(Ask{What: AskWatch, Receiver: &sink{}, Window: 1})
	expect := func(pushed, rebalanced, dead, pending uint64) {
		t.Helper()
		if g := f.s.Figures(); g.Pushed != pushed || g.Rebalanced != rebalanced || g.Dead != dead {
			t.Errorf("%d pushed, %d rebalanced, %d dead; want %d, %d, %d", g.Pushed, g.Rebalanced, g.Dead, pushed,
				rebalanced, dead)
		}
		list, next := f.s.Census(f.now, 1, 10, nil) // default, tube0, q
		if len(list) != 3 || next != 0 || list[0].Queue || list[1].Queue {
			t.Fatalf("the census tells %+v, %d", list, next)
		}
		if q := list[2]; q.Name != "q" || !q.Queue || q.Groups != 1 || q.Consumers != 1 || q.Pending != pending {
			t.Errorf("the census tells %+v", q)
		}
	}
	expect(1, 0, 0, 1)
	refuse := Ask{What: AskNegative, Indexes: []uint64{f.s.Deliveries[0].Items[0].Index}}
	ask(refuse)
	expect(2, 1, 0, 1)
	ask(refuse)
	expect(2, 2, 1, 0)
}
