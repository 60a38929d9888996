package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// fillBacklog puts the jobs that are to lie in the server while it is measured. They
// are streamed: one goroutine writes puts, this one reads the replies.
func fillBacklog(ctx context.Context, addr string, ld *load, say func(string, ...any)) error {
	if ld.Backlog == 0 {
		return nil
	}
	if err := affordable(ld); err != nil {
		return err
	}
	c, err := dialClient(addr)
	if err != nil {
		return err
	}
	defer c.close()
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

// affordable refuses a backlog that would bring the machine to its knees. A job of
// the heaviest server known takes 300 bytes besides its body.
func affordable(ld *load) error {
	need := int64(ld.Backlog) * int64(ld.Body.Max+300)
	if have := meminfo("MemAvailable:"); have > 0 && need > have/10*7 {
		return fmt.Errorf("a backlog of %d jobs may need %d MB; %d MB are available", ld.Backlog, need>>20, have>>20)
	}
	return nil
}

// useBefore tells which tube must be used before job i of the backlog is put, and
// whether that changes.
func useBefore(ld *load, i int) (string, bool) {
	switch ld.BacklogIn {
	case backlogSpread:
		return string(appendTube(nil, spreadPrefix, i)), true
	case backlogSame:
		// In equal runs, so that each tube under load gets its share.
		run := (ld.Backlog + ld.Tubes - 1) / ld.Tubes
		return loadTube(i / run), i%run == 0
	default:
		return backlogTube, i == 0
	}
}

func streamBacklog(w io.Writer, ld *load) error {
	buf := bufio.NewWriterSize(w, 64<<10)
	p := newPayload(ld.Body, 0, 1, ld.Seed)
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

func (c *client) backlogReply(ld *load, i int) error {
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

// clearLeftovers takes every job out of the tubes of a load, for a server that has
// other users and goes on living.
func clearLeftovers(addr string, ld *load) error {
	c, err := dialClient(addr)
	if err != nil {
		return err
	}
	defer c.close()
	tubes := []string{backlogTube}
	for i := range ld.Tubes {
		tubes = append(tubes, loadTube(i))
	}
	if ld.BacklogIn == backlogSpread {
		for i := range ld.Backlog {
			tubes = append(tubes, string(appendTube(nil, spreadPrefix, i)))
		}
	}
	for _, t := range tubes {
		if err := c.emptyTube(t); err != nil {
			return fmt.Errorf("clearing tube %s: %w", t, err)
		}
	}
	return nil
}

func (c *client) emptyTube(tube string) error {
	const batch = 100
	if _, err := fmt.Fprintf(c.conn, "watch %s\r\n", tube); err != nil {
		return err
	}
	if _, err := c.line(); err != nil {
		return err
	}
	// default is watched at first, and may hold other people's jobs.
	if _, err := io.WriteString(c.conn, "ignore default\r\n"); err != nil {
		return err
	}
	if _, err := c.line(); err != nil {
		return err
	}
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for deadline := time.Now().Add(auditPatience); ; {
		ids, err := c.reserveBatch(batch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			// What the load's connections held comes back when the server notices
			// that they have closed.
			left, err := c.numbers("stats-tube " + tube)
			if err != nil {
				return err
			}
			if left["current-jobs-ready"]+left["current-jobs-reserved"] > 0 && time.Now().Before(deadline) {
				<-retry.C
				continue
			}
			_, err = fmt.Fprintf(c.conn, "watch default\r\nignore %s\r\n", tube)
			if err == nil {
				_, err = c.line()
			}
			if err == nil {
				_, err = c.line()
			}
			return err
		}
		if err := c.deleteBatch(ids); err != nil {
			return err
		}
	}
}

func (c *client) reserveBatch(n int) ([]string, error) {
	if _, err := io.WriteString(c.conn, strings.Repeat("reserve-with-timeout 0\r\n", n)); err != nil {
		return nil, err
	}
	var ids []string
	for range n {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		if line == "TIMED_OUT" {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "RESERVED" {
			return nil, fmt.Errorf("reserve was answered %.80q", line)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, err
		}
		if _, err := c.r.Discard(size + 2); err != nil {
			return nil, err
		}
		ids = append(ids, f[1])
	}
	return ids, nil
}

func (c *client) deleteBatch(ids []string) error {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString("delete " + id + "\r\n")
	}
	if _, err := io.WriteString(c.conn, b.String()); err != nil {
		return err
	}
	for range ids {
		if line, err := c.line(); err != nil || line != "DELETED" {
			return fmt.Errorf("delete was answered %.80q: %w", line, err)
		}
	}
	return nil
}
