package figures

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/conn/beanstalk/client"
)

const (
	connections = 50
	inFlight    = 32
)

// puts has connections put jobs, so many in each write, until there are enough or ctx ends. It returns
// how many were acknowledged.
func (s *site) puts(ctx context.Context, body, enough int) (int64, error) {
	var all sync.WaitGroup
	var done, begun atomic.Int64
	failed := make([]error, connections)
	for i := range connections {
		c, _, err := s.seeker.Find(ctx, s.dice)
		if err != nil {
			return 0, err
		}
		all.Go(func() {
			defer c.HangUp()
			for failed[i] == nil && ctx.Err() == nil && begun.Add(inFlight) <= int64(enough)+inFlight-1 {
				failed[i] = batch(c, body)
				done.Add(inFlight)
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return done.Load(), err
		}
	}
	return done.Load(), nil
}

func batch(c *client.Client, body int) error {
	one := fmt.Sprintf("put 0 0 60 %d\r\n%s\r\n", body, strings.Repeat("x", body))
	if err := c.Send([]byte(strings.Repeat(one, inFlight))); err != nil {
		return err
	}
	for range inFlight {
		r, err := c.Next()
		if err == nil {
			err = r.Want("INSERTED")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fill puts the jobs that are to be there all the time.
func (s *site) fill(ctx context.Context, o Options) error {
	begun := time.Now()
	n, err := s.puts(ctx, o.Body, o.Jobs)
	if err == nil && o.Jobs > 0 {
		o.say("%d jobs of %d bytes were put in %.1fs", n, o.Body, time.Since(begun).Seconds())
	}
	return err
}
