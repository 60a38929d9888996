package beanstalk

import (
	"fmt"
	"testing"

	"beanfield/conn/access"
	"beanfield/shard/queue/policy"
)

// A put that waits for room ends when its client may not put there any more, and waits on if it may.
func TestWaitForRoomAndRules(t *testing.T) {
	h, book := newBooked(t)
	h.router.SetLimits(policy.Amount{policy.BoundJobs: 1})
	book.Replace(rules(t, rule("one", access.Put, "t1", "t2")))
	admin, c := h.as("admin"), h.as("one")
	id := admin.put(0, 0, 9, "x")
	c.send("put-with 1 tube=t1 wait=1000\r\na\r\nput-with 1 tube=t2 wait=1000\r\nb\r\nlist-tube-used\r\n")
	eventually(t, "a put waits", func() bool { return h.waiting() == 1 })
	book.Replace(rules(t, rule("one", access.Put, "t2")))
	c.expect("BAD_FORMAT")
	eventually(t, "the other put waits", func() bool { return h.waiting() == 1 })
	book.Replace(rules(t, rule("one", access.Put|access.Reserve, "t2")))
	admin.do(fmt.Sprintf("delete %d", id), "DELETED")
	c.expect(fmt.Sprintf("INSERTED %d", id+1))
	c.expect("USING default")
}

// A put with options that is kept behind a wait keeps them, also if other rules hold meanwhile.
func TestPutWithBehindWait(t *testing.T) {
	h, book := newBooked(t)
	book.Replace(rules(t, rule("one", access.Put|access.Reserve, "*")))
	admin, c := h.as("admin"), h.as("one")
	c.send("reserve\r\nput-with 1 tube=t1 key=k\r\na\r\nput-with 1 tube=t1 key=k\r\nb\r\n")
	eventually(t, "a reserve waits", func() bool { return h.waiting() == 1 })
	book.Replace(rules(t, rule("one", access.Put|access.Reserve|access.Peek, "*")))
	id := admin.put(0, 0, 9, "x")
	c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
	c.expect(fmt.Sprintf("INSERTED %d", id+1))
	c.expect(fmt.Sprintf("EXISTS %d", id+1))
}
