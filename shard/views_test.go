package shard

import (
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// A view's consumers are sent bodies that are away. With auto-commit the view is done
// with them only then. What nobody can read is buried, also if the first group has done
// it, and the view gets on.
func TestViewsReadBodiesAway(t *testing.T) {
	sh, log := newAwayShard(t, 1)
	c, first, second := newCaller(sh), newBox(), newBox()
	c.ask(sh, watchOp(first, queue.Ask{}))
	watch := func(auto bool) {
		op := watchOp(second, queue.Ask{Window: 9, AutoCommit: auto})
		op.Ask.Group = "h"
		c.ask(sh, op)
	}
	watch(true)
	c.ask(sh, putOp(1, "12345678"), putOp(2, "abcdefgh"))
	expect(t, second.next(2), "1:12345678", "2:abcdefgh")
	c.ask(sh, queue.Op{Kind: queue.Delete, ID: 1}, queue.Op{Kind: queue.Delete, ID: 2})
	waitFor(func() bool { return length(c, sh) == 0 })
	watch(false)
	log.stall = make(chan struct{})
	log.hurt = map[uint64]bool{4: true, 5: true}
	submit(sh, queue.Op{Kind: queue.Service, ID: 3, Data: []byte("12345678"), Size: 8, Ask: &queue.Ask{
		What: queue.AskPut, Queue: "default", Limits: &policy.Limits{},
	}})
	for id, body := range map[uint64]string{4: "abcdefgh", 5: "ijklmnop"} {
		c.ask(sh, putOp(id, body))
	}
	c.ask(sh, putOp(6, "uvwxyz"))
	close(log.stall)
	expect(t, second.next(2), "3:12345678", "6:uvwxyz")
	for _, id := range []uint64{4, 5} {
		waitFor(func() bool {
			b := c.ask(sh, queue.Op{Kind: queue.StatsJob, ID: id})
			return len(b.Jobs) == 1 && b.Jobs[0].State == queue.Buried
		})
	}
	commit := askOp(queue.Ask{What: queue.AskCommit, Group: "h", User: "u", Indexes: []uint64{3, 6}})
	c.ask(sh, commit)
	b := c.ask(sh, askOp(queue.Ask{What: queue.AskAttrs}))
	if n := b.Ops[0].Ask.Attrs.Groups[1].Pending; n != 0 {
		t.Errorf("%d items are pending", n)
	}
}

func length(c *caller, sh *Shard) int {
	return c.ask(sh, askOp(queue.Ask{What: queue.AskAttrs})).Ops[0].Ask.Attrs.Length
}
