package router

import (
	"fmt"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// leaves are what a text may have hold when nothing more can happen, with up to two numbers.
var leaves = map[string]func(w *world, least, most int) error{
	// So many puts of putters are made, and there are as many jobs as the limits say, which count right.
	"rooms": func(w *world, least, most int) error {
		made := 0
		for _, a := range w.actors {
			switch {
			case a.mute:
			case a.result == queue.OK:
				made++
			case !slices.Contains([]queue.Status{queue.Waiting, queue.TimedOut, queue.NoRoom}, a.result):
				return fmt.Errorf("%s is answered %v", a.name, a.result)
			}
		}
		jobs, _ := w.bed.jobs()
		if used := w.bed.r.Quota().Used()[policy.BoundJobs]; made < least || made > most || used != int64(jobs) {
			return fmt.Errorf("%d puts are made, there are %d jobs, and %d are counted", made, jobs, used)
		}
		return nil
	},

	// Each who is not mute holds so many jobs.
	"each": func(w *world, want, _ int) error {
		for _, a := range w.actors {
			if !a.mute && len(a.held) != want {
				return fmt.Errorf("%s holds %d jobs, want %d", a.title, len(a.held), want)
			}
		}
		return nil
	},
	// So many items are left.
	"left": func(w *world, want, _ int) error {
		if n := w.items(); n != want {
			return fmt.Errorf("%d items are left, want %d", n, want)
		}
		return nil
	},
	// One has the item, or nobody has it and so many are left.
	"one-hand": func(w *world, orLeft, _ int) error {
		n := 0
		for _, a := range w.actors {
			if a.player != nil && len(a.held) > 0 || a.conn != nil && (len(a.has()) > 0 || a.get != nil && a.get.took) {
				n++
			}
		}
		if n != 1 && (n != 0 || w.items() != orLeft) {
			return fmt.Errorf("%d have the item", n)
		}
		return nil
	},
	// What a consumer has committed is pending nowhere.
	"committed": func(w *world, _, _ int) error {
		dealt, pending := 0, 0
		for _, a := range w.actors {
			if a.conn != nil {
				dealt, pending = dealt+a.dealt, pending+len(a.has())
			}
		}
		if dealt > 0 && pending > 0 {
			return fmt.Errorf("the item was committed, and is pending")
		}
		return nil
	},
	// The consumer has heard of so many items, in their order.
	"heard": func(w *world, want, _ int) error {
		for _, a := range w.actors {
			if a.conn != nil && a.user != "none" && (len(a.heard) != want || !slices.IsSorted(a.heard)) {
				return fmt.Errorf("%s was sent %d", a.title, a.heard)
			}
		}
		return nil
	},
}

// items counts those that are left, of a run with one.
func (w *world) items() (n int) {
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if _, known := w.bed.r.ids.find(id); known {
			n++
		}
	}
	return n
}
