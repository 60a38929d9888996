package generator

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"beanfield/tools/bench/load"
)

// FillBacklog puts the jobs that stay in the server while it is measured. One goroutine
// writes the puts, this one reads the replies.
func FillBacklog(ctx context.Context, addr string, ld *load.Load, say func(string, ...any)) error {
	if ld.Backlog == 0 {
		return nil
	}
	if err := load.Affordable(ld); err != nil {
		return err
	}
	c, err := Dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	wrote := make(chan error, 1)
	go func() { wrote <- streamBacklog(c.conn, ld) }()
	last := time.Now()
	for i := range ld.Backlog {
		if err := c.backlogReply(ld, i); err != nil {
			return fmt.Errorf("backlog, job %d: %w", i, err)
		}
		if i%1024 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if time.Since(last) >= time.Second {
				last = time.Now()
				say("backlog: %d of %d jobs", i, ld.Backlog)
			}
		}
	}
	return <-wrote
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

func streamBacklog(w io.Writer, ld *load.Load) error {
	buf := bufio.NewWriterSize(w, 64<<10)
	p := NewPayload(ld.Body, 0, 1, ld.Seed)
	put, _ := p.put(backlogPriority, 0, ld.Body.Min)
	for i := range ld.Backlog {
		if tube, change := useBefore(ld, i); change {
			buf.WriteString("use " + tube + "\r\n")
		}
		if _, err := buf.Write(put); err != nil {
			return err
		}
	}
	return buf.Flush()
}

func (c *Client) backlogReply(ld *load.Load, i int) error {
	if tube, change := useBefore(ld, i); change {
		if line, err := c.line(); err != nil || line != "USING "+tube {
			return fmt.Errorf("use was answered %.80q: %w", line, err)
		}
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(line), "INSERTED ") {
		return fmt.Errorf("put was answered %.80q", line)
	}
	return nil
}
