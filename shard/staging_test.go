package shard

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// largeOp puts a large job, whose body comes in parts or in a buffer of the caller's.
func largeOp(id uint64, parts bool) (op queue.Op, body []byte) {
	body = bytes.Repeat([]byte("0123456789"), storage.LargeBody/10+1)
	op = queue.Op{Kind: queue.Put, ID: id, TTR: 60, Size: uint32(len(body)), Data: body}
	if parts {
		op.Data, op.Parts = nil, [][]byte{body[:100], body[100:]}
	}
	return op, body
}

// A large job waits for its body, of which the log has to be told first. Nobody sees
// the job until then, and everybody else goes on.
func TestLargePutIsStaged(t *testing.T) {
	for _, parts := range []bool{false, true} {
		inBubble(t, true, func(t *testing.T, b *bench) {
			b.log.Lazy = true
			a, c := b.newClient(), b.newClient()
			op, body := largeOp(7, parts)
			whole := string(body)
			batch := a.batch(queue.Op{Kind: queue.Put, ID: 6, Pri: 9, TTR: 60}, op, queue.Op{Kind: queue.Peek, ID: 7})
			if b.sh.Submit(batch) {
				t.Fatal("answered before the log has the body")
			}
			if !parts {
				clear(body) // it was borrowed
			}
			c.put(8, 0, 60)
			seen := c.batch(queue.Op{Kind: queue.Peek, ID: 7}, queue.Op{Kind: queue.Peek, ID: 6},
				queue.Op{Kind: queue.Peek, ID: 8}, queue.Op{Kind: queue.Delete, ID: 7})
			c.run(seen)
			for i, want := range []queue.Status{queue.NotFound, queue.OK, queue.OK, queue.NotFound} {
				if seen.Ops[i].Status != want {
					t.Errorf("meanwhile operation %d ends with %v, want %v", i, seen.Ops[i].Status, want)
				}
			}
			synctest.Wait()
			if len(a.answers) != 0 {
				t.Fatal("answered before the log has the body")
			}
			b.log.EndStages(nil)
			if <-a.answers != batch || batch.Ops[1].Status != queue.OK {
				t.Fatalf("then %v", batch.Ops[1].Status)
			}
			if batch.Next < len(batch.Ops) { // its answers have grown large
				a.run(batch)
			}
			if got := string(bytes.Join(batch.Ops[2].Parts, nil)); got != whole || b.log.Bodies[7] != whole {
				t.Errorf("the body has %d bytes, and %d in the log", len(got), len(b.log.Bodies[7]))
			}
			want := []string{"put 6 ready", "stage 7", "put 8 ready", "put 7 ready"}
			if !slices.Equal(b.log.Records, want) {
				t.Errorf("the log has %v, want %v", b.log.Records, want)
			}
		})
	}
}

// If there is no room for a body, or the log fails, no job is made: the client is told
// why, the id is given back, once, and the log has no record of it (L1).
func TestLargePutThatIsNotTaken(t *testing.T) {
	for _, c := range []struct {
		fault error
		want  queue.Status
	}{{storage.ErrNoSpace, queue.NoRoom}, {errors.New("disk on fire"), queue.Failed}} {
		inBubble(t, true, func(t *testing.T, b *bench) {
			a := b.newClient()
			b.log.Lazy = true
			var gone []uint64
			b.dir.jobGone = func(id uint64) { gone = append(gone, id) }
			op, _ := largeOp(7, true)
			batch := a.batch(op, queue.Op{Kind: queue.Peek, ID: 7})
			b.sh.Submit(batch)
			b.log.EndStages(c.fault)
			<-a.answers
			if batch.Ops[0].Status != c.want || batch.Ops[1].Status != queue.NotFound {
				t.Errorf("%v: %v, then %v", c.fault, batch.Ops[0].Status, batch.Ops[1].Status)
			}
			if !slices.Equal(b.log.Records, []string{"stage 7"}) || !slices.Equal(gone, []uint64{7}) {
				t.Errorf("%v: the log has %v, ids given back: %v", c.fault, b.log.Records, gone)
			}
		})
	}
}
