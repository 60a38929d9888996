package generator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/talk"
)

// An audit compares a server's own counts with the generator's: the jobs that were put
// and not deleted must be there, ready, and no others. The server must have no other
// users.
type audit struct {
	addr   string
	before client.Document
}

func startAudit(ctx context.Context, addr string) (*audit, error) {
	c, err := talk.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	a := &audit{addr: addr}
	a.before, err = c.Stats("stats")
	return a, err
}

// finish is called when the load's connections are closed. The jobs that workers still
// held come back when the server notices that.
func (a *audit) finish(ctx context.Context, t *Tally) error {
	c, err := talk.Dial(ctx, a.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	deadline := time.Now().Add(talk.Patience)
	for {
		after, err := c.Stats("stats")
		if err != nil {
			return err
		}
		err = a.compare(after, t)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-retry.C
	}
}

func (a *audit) compare(after client.Document, t *Tally) error {
	var wrong []error
	expect := func(key string, change int64) {
		if want, got := a.before.Number(key)+change, after.Number(key); got != want {
			wrong = append(wrong, fmt.Errorf("the server counts %s: %d, and should %d", key, got, want))
		}
	}
	expect("total-jobs", t.Inserted)
	expect("current-jobs-ready", t.Inserted-t.deleted)
	expect("current-jobs-reserved", 0)
	expect("current-jobs-delayed", 0)
	expect("current-jobs-buried", 0)
	return errors.Join(wrong...)
}
