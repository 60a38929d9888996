package generator

import (
	"context"
	"fmt"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/talk"
)

// FillBacklog puts the jobs that stay in the server while it is measured.
func FillBacklog(ctx context.Context, addr string, ld *load.Load, say func(string, ...any)) error {
	if ld.Backlog == 0 {
		return nil
	}
	if err := load.Affordable(ld); err != nil {
		return err
	}
	c, err := talk.Dial(ctx, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	payload := NewPayload(ld.Body, 1, ld.Seed)
	put, _ := payload.put(backlogPriority, ld.Body.Min)
	last, i := time.Now(), 0
	err = c.Stream(ld.Backlog, func(b []byte, i int) []byte {
		if tube, change := useBefore(ld, i); change {
			b = append(append(append(b, "use "...), tube...), "\r\n"...)
		}
		if ld.Keyed {
			return payload.appendKeyed(b, 0, backlogPriority, 'b', uint64(i))
		}
		return append(b, put...)
	}, func(r client.Reply) error {
		if i++; i%1024 == 0 && time.Since(last) >= time.Second {
			last = time.Now()
			say("backlog: %d of %d jobs", i, ld.Backlog)
		}
		return backlogReply(c, ld, i-1, r)
	})
	if err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	return nil
}

// useBefore gives the tube that job i of the backlog goes to, and whether it is another
// one than before.
func useBefore(ld *load.Load, i int) (string, bool) {
	switch ld.BacklogIn {
	case load.BacklogSpread:
		return string(appendTube(nil, spreadPrefix, i)), true
	case load.BacklogSame:
		// In equal runs, so that each tube under load gets its share.
		run := (ld.Backlog + ld.Tubes - 1) / ld.Tubes
		return loadTube(i / run), i%run == 0
	default:
		return backlogTube, i == 0
	}
}

func backlogReply(c talk.Client, ld *load.Load, i int, r client.Reply) (err error) {
	if tube, change := useBefore(ld, i); change {
		if r.Line != "USING "+tube {
			return talk.Answered("use", r)
		}
		if r, err = c.Next(); err != nil {
			return err
		}
	}
	if r.Word != "INSERTED" {
		return talk.Answered("put", r)
	}
	return nil
}
