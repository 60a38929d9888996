package shard

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// largeOps puts a job whose body comes in parts or in a buffer of the caller's, and looks at it.
func largeOps(id int, parts bool) (list []queue.Op, body []byte) {
	body = bytes.Repeat([]byte("0123456789"), storage.LargeBody/10+1)
	list = ops("put %d; peek %d", id, id)
	op := &list[0]
	if op.Data, op.Size = body, uint32(len(body)); parts {
		op.Data, op.Parts = nil, [][]byte{body[:100], body[100:]}
	}
	return list, body
}

// A large job waits for its body, of which the log has to be told first. Nobody sees
// the job until then, and everybody else goes on.
func TestLargePutIsStaged(t *testing.T) {
	for _, parts := range []bool{false, true} {
		inBubble(t, true, func(b *bench) {
			b.log.Lazy = true
			a, c := b.client(), b.client()
			large, body := largeOps(7, parts)
			whole := string(body)
			batch := a.begins(append(ops("put 6"), large...)...)
			if !parts {
				clear(body) // it was borrowed
			}
			c.says("put 8; peek 7; peek 6; peek 8; delete 7", "ok; no; 6 ; 8 ; no")
			if synctest.Wait(); len(a.answers) != 0 {
				b.Fatal("answered before the log has the body")
			}
			b.log.EndStages(nil)
			<-a.answers
			b.expect("then", said(a.run(batch)), "ok; ok; 7 "+whole)
			b.expect("the body in the log", b.log.Bodies[7], whole)
			b.expect("the log", fmt.Sprint(b.log.Records), "[put 6 ready stage 7 put 8 ready put 7 ready]")
		})
	}
}

// If there is no room for a body, or the log fails, no job is made: the client is told
// why, the id is given back, once, and the log has no record of it (L1).
func TestLargePutThatIsNotTaken(t *testing.T) {
	for fault, want := range map[error]string{storage.ErrNoSpace: "no room; no", errBroken: "failed; no"} {
		inBubble(t, true, func(b *bench) {
			a := b.client()
			b.log.Lazy = true
			var gone []uint64
			b.dir.jobGone = func(id uint64) { gone = append(gone, id) }
			large, _ := largeOps(7, true)
			batch := a.begins(large...)
			b.log.EndStages(fault)
			a.ends(batch, want)
			b.expect("the log, and ids given back", fmt.Sprint(b.log.Records, gone), "[stage 7] [7]")
		})
	}
}
