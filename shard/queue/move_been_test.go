package queue

import (
	"fmt"
	"testing"
)

// Where a job was a dead letter is shown by itself, in lists and among the first of its tube, also after a restart.
func TestBeen(t *testing.T) {
	w := newWorld(t)
	w.run(`
		policy default deliveries=1 to=graveyard
		a put 0 0 9         -> 1
		a put 0 0 9         -> 2
		a reserve           -> 1
		a release 1 0 0
		a stats-job 1       -> tube=graveyard state=ready`)
	for range 2 {
		list := w.s.Been(1)
		if len(list) != 1 || list[0].From != "default" || list[0].Why != ForReserves || list[0].Reserves != 1 ||
			list[0].When == 0 {
			t.Errorf("it has been in %+v", list)
		}
		want := fmt.Sprint(list)
		if n := w.s.Been(2); n != nil {
			t.Errorf("a job that was nowhere else has been in %+v", n)
		}
		if heads := w.s.Heads(w.now, "graveyard", Ready, 9); len(heads) != 1 || fmt.Sprint(heads[0].Been) != want {
			t.Errorf("the first jobs are %+v", heads)
		}
		for _, k := range w.pages(Filter{}, 9, func() {}) {
			if is := fmt.Sprint(k.Been); k.ID == 1 && is != want || k.ID == 2 && is != "[]" {
				t.Errorf("job %d is listed with %s", k.ID, is)
			}
		}
		w.run("restart")
	}
}
