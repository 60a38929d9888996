package figures

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	mathrand "math/rand/v2"
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
	return s.batches(ctx, enough, func(c *client.Client) error { return s.batch(c, body, nil) })
}

// churn has connections put jobs and delete them again, so many in each write, until ctx ends. A rate that
// is not 0 is how many jobs they put in a second at most.
func (s *site) churn(ctx context.Context, body, rate int) (int64, error) {
	begun := time.Now()
	var taken atomic.Int64
	return s.batches(ctx, 1<<40, func(c *client.Client) error {
		if before := taken.Add(inFlight) - inFlight; rate > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Until(begun.Add(time.Duration(before) * time.Second / time.Duration(rate)))):
			}
		}
		var ids []uint64
		if err := s.batch(c, body, func(r client.Reply) { ids = append(ids, r.Number) }); err != nil {
			return err
		}
		return remove(c, ids)
	})
}

// batches has connections do something with inFlight jobs again and again.
func (s *site) batches(ctx context.Context, enough int, do func(c *client.Client) error) (int64, error) {
	var all sync.WaitGroup
	var done, begun atomic.Int64
	failed := make([]error, connections)
	for i := range connections {
		c, _, err := s.seeker.Find(ctx, s.dice)
		if err == nil && s.wide {
			_, err = c.Askf("use figures-%d", i)
		}
		if err != nil {
			return 0, err
		}
		all.Go(func() {
			defer c.HangUp()
			for failed[i] == nil && ctx.Err() == nil && begun.Add(inFlight) <= int64(enough)+inFlight-1 {
				failed[i] = do(c)
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

func (s *site) batch(c *client.Client, body int, got func(client.Reply)) error {
	var commands strings.Builder
	for range inFlight {
		text := strings.Repeat("x", body)
		if s.wide {
			text = noise[mathrand.IntN(len(noise)-body):][:body]
		}
		fmt.Fprintf(&commands, "put 0 0 60 %d\r\n%s\r\n", body, text)
	}
	return answers(c, commands.String(), "INSERTED", got)
}

// noise is text that cannot be compressed by what looks for repetitions.
var noise = func() string {
	b := make([]byte, 3<<20)
	_, _ = rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}()

// answers sends commands for inFlight jobs in one write, and expects a word for each.
func answers(c *client.Client, commands, word string, got func(client.Reply)) error {
	if err := c.Send([]byte(commands)); err != nil {
		return err
	}
	for range inFlight {
		r, err := c.Next()
		if err == nil {
			err = r.Want(word)
		}
		if err != nil {
			return err
		}
		if got != nil {
			got(r)
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
