package router

import (
	"slices"
	"testing"

	"beanfield/shard/queue"
)

// A refusal that was answered counts, whatever becomes of the server afterwards: with
// three deliveries, the third refusal ends an item, for each group. That items were
// pending at a power cut counts nothing (package queue, Deliveries).
func TestRefusalsThroughPowerCuts(t *testing.T) {
	run := newSafeRun(t)
	all := numbers(1, 6, func(uint64) bool { return true })
	for range all {
		run.askQueue(t, queue.AskPut, "S", "", func(*queue.Op) {})
	}
	groups := []string{"first", "view"}
	limits := &queue.Limits{MaxDelivery: 3, DeadLetter: queue.FateDrop}
	refuse := func(group string, ids []uint64) {
		run.askQueue(t, queue.AskNegative, "S", group, func(op *queue.Op) { op.Ask.Limits, op.Ask.Indexes = limits, ids })
	}
	refused := map[string]map[uint64]int{"first": {}, "view": {}}
	for round := range 6 {
		for g, group := range groups {
			var want, now []uint64
			for _, id := range all {
				if refused[group][id] < limits.MaxDelivery {
					want = append(want, id)
				}
			}
			got := run.watched(t, "S", group, len(want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("round %d: %s gets %d, want %d", round, group, got, want)
			}
			for _, id := range want {
				if (int(id)+round+g)%3 > 0 { // the others are pending at the cut
					now = append(now, id)
					refused[group][id]++
				}
			}
			refuse(group, now)
		}
		run.cut(t, 1+round%3)
	}
	if a := run.askQueue(t, queue.AskAttrs, "S", "", func(*queue.Op) {}); a.Attrs.Length != 0 {
		t.Errorf("at the end the queue is %+v", a.Attrs)
	}
	run.close(t)
}
