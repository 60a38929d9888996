package queue

import (
	"strings"
	"testing"

	"beanfield/storage"
)

// A queue may fill up, or end, while the log writes a large body. Then the put is refused,
// and the log has nothing of it (L1).
func TestQueueFillsUpWhileABodyIsStaged(t *testing.T) {
	for _, c := range []struct {
		meanwhile, answer string
		want              Status
		left              int // items
	}{
		{"q put t", "2", TooLong, 1},
		{"q end t", "ok", Ended, 0},
		{"q get t", "empty", OK, 1},
	} {
		w := newWorld(t)
		w.limits.MaxLength = 1
		body := strings.Repeat("b", storage.LargeBody+1)
		op := Op{Kind: Service, Size: uint32(len(body)), Data: []byte(body),
			Ask: &Ask{What: AskPut, Queue: "t", Limits: &w.limits}}
		b := &Batch{Ops: []Op{op}}
		if w.s.Run(w.now, b) || b.Ops[0].Status != Staging {
			t.Fatalf("a large put begins with %v", b.Ops[0].Status)
		}
		w.lastID = 1
		w.run(c.meanwhile + " -> " + c.answer)
		w.log.Staged[1] = body
		b.Ops[0].Staged(nil)
		if !w.s.Run(w.now, b) || b.Ops[0].Status != c.want {
			t.Errorf("%s: the put ends with %v, want %v", c.meanwhile, b.Ops[0].Status, c.want)
		}
		if len(w.log.Jobs) != c.left || len(w.log.Staged) != 0 {
			t.Errorf("%s: the log has %d jobs and %d bodies without jobs", c.meanwhile, len(w.log.Jobs),
				len(w.log.Staged))
		}
		if err := w.s.Check(); err != nil {
			t.Error(err)
		}
		if (c.want != OK) != w.dir.Gone[1] {
			t.Errorf("%s: the put's id was given back: %t", c.meanwhile, w.dir.Gone[1])
		}
	}
}
