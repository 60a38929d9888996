package stalls

import (
	"context"
	"fmt"
	"math"
	"time"

	"beanfield/tools/bench/generator"
)

// A due is a crowd of delayed jobs that come due in one second.
type due struct {
	crowd
	*settling
	took time.Duration // to put them
	last time.Time     // when that second is over
}

// sampleShare is the part of the jobs that is put first, to see how long all will take.
const sampleShare = 20

func (d *due) prepare(ctx context.Context) error {
	err := d.talk(ctx, func(c *generator.Client) error {
		if d.took == 0 {
			n := max(1, d.load.Backlog/sampleShare)
			begun := time.Now()
			if err := d.put(c, n, noDelay); err != nil {
				return err
			}
			d.took = time.Since(begun) * time.Duration(d.load.Backlog/n)
		}
		if err := d.deleteAll(c); err != nil {
			return err
		}
		// Half as long again, in case the server is slower this time; then the peace.
		wait := d.took + d.took/2 + d.load.Disturb.Peace + time.Second
		begun := time.Now()
		d.last = begun.Add(time.Duration(math.Ceil(wait.Seconds())) * time.Second)
		err := d.put(c, d.load.Backlog, func() int { return int(time.Until(d.last).Seconds()) })
		d.took = time.Since(begun)
		if err != nil {
			return err
		}
		counts, err := c.Numbers("stats-tube " + disturbedTube)
		if n := counts["current-jobs-delayed"]; err == nil && n != int64(d.load.Backlog) {
			err = fmt.Errorf("%d jobs are delayed, and should be %d", n, d.load.Backlog)
		}
		return err
	})
	if err != nil {
		return err
	}
	d.settling, err = newSettling(&d.crowd)
	return err
}

func (d *due) starts() time.Time { return d.last.Add(-time.Second) }

func (d *due) begin() error { return nil }
