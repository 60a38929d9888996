package queue

import (
	"strings"
	"testing"
	"unsafe"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// What a job costs does not grow because of the queue service.
func TestRecordsAreSmall(t *testing.T) {
	for name, size := range map[string][2]uintptr{
		"job": {unsafe.Sizeof(job{}), 40}, "rare": {unsafe.Sizeof(rare{}), 48}, "item": {unsafe.Sizeof(item{}), 40},
	} {
		if size[0] > size[1] {
			t.Errorf("a %s has %d bytes, more than %d", name, size[0], size[1])
		}
	}
}

// An item comes back as the log has it, and goes with its job.
func TestItemIsKept(t *testing.T) {
	w := newWorld(t)
	w.run("a put 1 0 60 -> 1\na put 1 0 60 -> 2")
	slot := w.s.index.find(&w.s.jobs, 2)
	r := storage.Item{
		Tags: MakeTags(map[string]string{TagRequest: "r", "k": strings.Repeat("v", 3000)}), Moved: true,
		Rebalances: 7, Fate: uint8(policy.FateDrop) + 1,
	}
	w.s.restoreItem(slot, &r)
	w.s.setNote(slot, "Bad", strings.Repeat("because ", 100))
	w.s.setNote(slot, strings.Repeat("C", 100), strings.Repeat("because ", 100))
	w.log.Jobs[2].Item = &r // as if it had been put with them
	w.s.logUpdate(slot)
	for range 2 {
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
		slot = w.s.index.find(&w.s.jobs, 2)
		it := w.s.itemAt(slot)
		code, reason := w.s.noteOf(slot)
		if string(w.s.tagsOf(slot)) != string(r.Tags) || !it.moved || it.rebalances != 7 || !it.fated ||
			it.fate != policy.FateDrop ||
			code != strings.Repeat("C", codeMost) || reason != strings.Repeat("because ", reasonMost/8) {
			t.Errorf("the item is %+v, with note %q %q", *it, code, reason)
		}
		if w.s.itemAt(w.s.index.find(&w.s.jobs, 1)) != nil {
			t.Error("the other job has an item")
		}
		w.dir.Last = 2
		w.replay()
	}
	w.run("a delete 2\na peek 2 -> no\na put 1 0 60 -> 3")
	if it := w.s.itemAt(w.s.index.find(&w.s.jobs, 3)); it != nil {
		t.Errorf("a new job has item %+v", *it)
	}
}
