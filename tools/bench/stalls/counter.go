package stalls

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
)

// A counter asks for the counts of the disturbed tube, over and over, but seldom.
type counter struct {
	wire *wire
	next time.Time
	open bool // a question is
}

const counterPace = 10 * time.Millisecond

// newCounter uses the disturbed tube, so that it exists while nobody else needs it.
func newCounter(ctx context.Context, addr string) (counter, error) {
	w, err := dialWire(addr)
	if err != nil {
		return counter{}, err
	}
	return counter{wire: w}, oneLine(ctx, w, "use "+disturbedTube, "USING "+disturbedTube)
}

func (c *counter) close() { c.wire.close() }

// await looks until a count is what it must be.
func (c *counter) await(ctx context.Context, key string, want int) error {
	retry := time.NewTicker(counterPace)
	defer retry.Stop()
	last := int64(0)
	for {
		counts, err := c.look()
		if err != nil || counts != nil && counts[key] == int64(want) {
			return err
		}
		if counts != nil {
			last = counts[key]
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return fmt.Errorf("%s is %d, and should become %d: %w", key, last, want, ctx.Err())
		}
	}
}

// look gives the counts when there are new ones.
func (c *counter) look() (map[string]int64, error) {
	if !c.open {
		if time.Now().Before(c.next) {
			return nil, nil
		}
		c.open = true
		return nil, c.wire.send("stats-tube " + disturbedTube)
	}
	if err := c.wire.fill(); err != nil {
		return nil, err
	}
	line, rest, ok := bytes.Cut(c.wire.in, []byte("\r\n"))
	if !ok {
		return nil, nil
	}
	var size int
	if _, err := fmt.Sscanf(string(line), "OK %d", &size); err != nil || size < 0 || size > generator.MaxStats {
		return nil, fmt.Errorf("stats-tube was answered %.80q", line)
	}
	if len(rest) < size+2 {
		return nil, nil
	}
	counts := generator.NumbersIn(string(rest[:size]))
	c.wire.in, c.open, c.next = c.wire.in[:0], false, time.Now().Add(counterPace)
	return counts, nil
}
