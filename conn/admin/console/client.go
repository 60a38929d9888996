package console

import (
	"bytes"
	"net/http"

	"beanfield/router"
	"beanfield/shard/queue"
)

// client is the goroutine of a request, as a caller of the router.
type client struct {
	router.Caller
	router *router.Router
	batch  queue.Batch
}

// newClient makes a client that uses and watches no tube: it can only read, and do what
// needs no place in a shard.
func newClient(r *router.Router) *client {
	c := &client{router: r}
	c.Enter(r)
	return c
}

// run applies an operation in a shard, and returns it with its answer. member says that it needs the
// client's place there. What it has found is valid until the next run.
func (c *client) run(shard int, member bool, op queue.Op) queue.Op {
	c.batch.Reset()
	c.batch.Ops = append(c.batch.Ops, op)
	for c.batch.Next == 0 {
		c.Finish(c.Submit(shard, &c.batch, member))
	}
	return c.batch.Ops[0]
}

// one applies an operation to the shard of a living job.
func (c *client) one(op queue.Op, member bool) (queue.Op, error) {
	shard, ok := c.router.Owner(op.ID)
	if !ok {
		return op, errNoJob
	}
	op = c.run(shard, member, op)
	return op, failure(op.Status)
}

// body is that of the job which an operation has found, in memory of its own.
func (c *client) body(op *queue.Op) []byte {
	if len(op.Parts) > 0 {
		return bytes.Join(op.Parts, nil)
	}
	return bytes.Clone(c.batch.Small(op))
}

// What is not there, or not for this client.
var errNoJob = &problem{http.StatusNotFound, "there is no such job any more"}

const noTube = "there is no such tube"

// stats returns the figures of a tube.
func (c *client) stats(tube string) (queue.TubeInfo, error) {
	op := c.run(c.router.TubeShard([]byte(tube)), false, queue.Op{Kind: queue.StatsTube, Data: []byte(tube)})
	if op.Status != queue.OK {
		return queue.TubeInfo{}, failureOf(op.Status, noTube)
	}
	return c.batch.Tubes[op.From], nil
}

// failure puts into words how an operation on a job ended.
func failure(s queue.Status) error {
	return failureOf(s, "there is no such job any more, or somebody holds it")
}

func failureOf(s queue.Status, notFound string) error {
	switch s {
	case queue.OK:
		return nil
	case queue.NotFound:
		return &problem{http.StatusNotFound, notFound}
	case queue.NoRoom:
		return &problem{http.StatusInsufficientStorage, "disk space is low: new jobs are refused"}
	case queue.Refused:
		return &problem{http.StatusServiceUnavailable, "the server is draining: new jobs are refused"}
	}
	return &problem{http.StatusInternalServerError, "the log has failed: nothing was changed for good"}
}
