package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"beanfield/conn/client"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// A put waits for room as long as it says, or until its context ends, which calls the wait off (GC2).
func TestPutWaitsForRoom(t *testing.T) {
	f := must.Get(startField())
	t.Cleanup(func() { must.Do(t, f.stop()) })
	f.router.SetLimits(policy.Amount{policy.BoundJobs: 1})
	c, other, ctx := ready(t, f.addr), dial(t, f.addr), within(t)
	id := must.Get(c.Put(ctx, client.NewJob{Tube: "a"}))
	fails(t, "it has waited a millisecond", last(c.Put(ctx, client.NewJob{Tube: "b", Wait: time.Millisecond})), client.ErrNoRoom)
	cancel, done := waits(t, other, func(ctx context.Context) error {
		return last(c.Put(ctx, client.NewJob{Tube: "b", Wait: time.Hour}))
	})
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("it is called off: %v", err)
	}
	made := make(chan error)
	go func() {
		_, err := other.Put(ctx, client.NewJob{Tube: "b", Wait: patience})
		made <- err
	}()
	must.Do(t, c.Delete(ctx, id))
	if err := <-made; err != nil {
		t.Errorf("there is room: %v", err)
	}
	var p client.Pipeline
	p.Put(client.NewJob{Wait: time.Second})
	if results, _ := c.Run(ctx, &p); len(results) != 1 || !errors.Is(results[0].Err, client.ErrInvalid) {
		t.Errorf("a pipeline waits: %v", results)
	}
}
