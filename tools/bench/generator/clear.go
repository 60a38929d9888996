package generator

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/bench/load"
)

// ClearLeftovers takes every job out of the tubes of a load, for a server that has
// other users and is not ended.
func ClearLeftovers(addr string, ld *load.Load) error {
	c, err := Dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	tubes := []string{backlogTube}
	for i := range ld.Tubes {
		tubes = append(tubes, loadTube(i))
	}
	if ld.BacklogIn == load.BacklogSpread {
		for i := range ld.Backlog {
			tubes = append(tubes, string(appendTube(nil, spreadPrefix, i)))
		}
	}
	for _, t := range tubes {
		if err := c.EmptyTube(t); err != nil {
			return fmt.Errorf("clearing tube %s: %w", t, err)
		}
	}
	return nil
}

func (c *Client) EmptyTube(tube string) error {
	const batch = 100
	if _, err := fmt.Fprintf(c.conn, "watch %s\r\n", tube); err != nil {
		return err
	}
	if _, err := c.line(); err != nil {
		return err
	}
	// default is watched at first, and may hold other users' jobs.
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
			left, err := c.Numbers("stats-tube " + tube)
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

func (c *Client) reserveBatch(n int) ([]string, error) {
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

func (c *Client) deleteBatch(ids []string) error {
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
