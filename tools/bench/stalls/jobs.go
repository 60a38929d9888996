package stalls

import (
	"fmt"
	"math"
	"time"

	"beanfield/tools/bench/generator"
)

// Disturbances by very many jobs that change their state at once. The jobs stay from one to
// the next; what puts them and brings them into their states is not measured.

// jobTTR is longer than any disturbance: no job may come back by itself.
const jobTTR = 3600

// put puts jobs, each with the delay of its moment.
func (d *disturbance) put(c *generator.Client, n int, delay func() int) error {
	d.ids = d.ids[:0]
	body := d.payload.Body()
	return c.Stream(n, func(b []byte, _ int) []byte {
		b = fmt.Appendf(b, "put %d %d %d %d\r\n", generator.JobPriority, delay(), jobTTR, len(body))
		return append(append(b, body...), "\r\n"...)
	}, func(line []byte) error {
		id, found := generator.After(line, "INSERTED ")
		if !found {
			return fmt.Errorf("put was answered %.80q", line)
		}
		d.ids = append(d.ids, id)
		return nil
	})
}

func noDelay() int { return 0 }

// fill puts the jobs the first time, and later waits until all are ready again.
func (d *disturbance) fill() error {
	return d.talk(func(c *generator.Client) error {
		if len(d.ids) == 0 {
			return d.put(c, d.load.Backlog, noDelay)
		}
		return d.await(c, counted("current-jobs-ready", d.load.Backlog))
	})
}

// taken reads the rest of a reply to reserve.
func (d *disturbance) taken(c *generator.Client, line []byte, body []byte) (uint64, error) {
	id, size, err := generator.Reserved(line)
	if err == nil && size != len(body)-2 {
		err = fmt.Errorf("reserve was answered %.80q", line)
	}
	if err == nil {
		err = c.Read(body)
	}
	if err == nil && !d.payload.Intact(body[:size]) {
		err = fmt.Errorf("job %d came back with a body that was not put: %.40q", id, body)
	}
	return id, err
}

func (d *disturbance) room() []byte { return make([]byte, len(d.payload.Body())+2) }

// bury buries each job as soon as it is reserved: if all are
// reserved first, beanstalkd takes time that grows with the square of their number.
func (d *disturbance) bury() error {
	if err := d.fill(); err != nil {
		return err
	}
	body, reserved := d.room(), false
	err := d.talk(func(c *generator.Client) error {
		return c.Stream(2*len(d.ids), func(b []byte, i int) []byte {
			if i%2 == 0 {
				return append(b, "reserve-with-timeout 0\r\n"...)
			}
			return fmt.Appendf(b, "bury %d %d\r\n", d.ids[i/2], generator.JobPriority)
		}, func(line []byte) error {
			if reserved = !reserved; reserved {
				_, err := d.taken(c, line, body)
				return err
			}
			if string(line) != "BURIED" {
				return fmt.Errorf("bury was answered %.80q", line)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return d.dialOne()
}

// kick makes every buried job ready with one command.
func (d *disturbance) kick() error {
	return d.one.Ask(fmt.Sprintf("kick %d", d.load.Backlog), fmt.Sprintf("KICKED %d", d.load.Backlog))
}

// reserveAll has one worker hold every job.
func (d *disturbance) reserveAll() error {
	if err := d.fill(); err != nil {
		return err
	}
	if err := d.dialTwo(); err != nil {
		return err
	}
	body, seen := d.room(), generator.NewLedger()
	return d.other.Stream(d.load.Backlog, func(b []byte, _ int) []byte {
		return append(b, "reserve-with-timeout 0\r\n"...)
	}, func(line []byte) error {
		id, err := d.taken(d.other, line, body)
		if err == nil && !seen.Mark(id) {
			err = fmt.Errorf("job %d was handed out twice", id)
		}
		return err
	})
}

// die closes the worker's connection.
func (d *disturbance) die() error {
	d.other.Close()
	return d.settle()
}

// settle is over when the counts of the disturbed tube say that every job is ready.
func (d *disturbance) settle() error {
	return d.await(d.one, func(counts map[string]int64) (bool, error) {
		there := int64(0)
		for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
			there += counts["current-jobs-"+state]
		}
		if there != int64(d.load.Backlog) {
			return false, fmt.Errorf("the tube has %d jobs, and should have %d", there, d.load.Backlog)
		}
		return counts["current-jobs-ready"] == there, nil
	})
}

// sampleShare is the part of the jobs that is put first, to see how long all will take.
const sampleShare = 20

// delay puts jobs that all come due in one second.
func (d *disturbance) delay() error {
	if err := d.dialOne(); err != nil {
		return err
	}
	return d.talk(func(c *generator.Client) error {
		if d.took == 0 {
			n := max(1, d.load.Backlog/sampleShare)
			begun := time.Now()
			if err := d.put(c, n, noDelay); err != nil {
				return err
			}
			d.took = time.Since(begun) * time.Duration(d.load.Backlog/n)
		}
		if err := c.DeleteAll(d.ids); err != nil {
			return err
		}
		// Half as long again and a second, in case the server is slower this time; then the
		// peace.
		wait := d.took + d.took/2 + d.load.Disturb.Peace + 2*time.Second
		begun := time.Now()
		last := begun.Add(time.Duration(math.Ceil(wait.Seconds())) * time.Second)
		err := d.put(c, d.load.Backlog, func() int { return int(time.Until(last).Seconds()) })
		d.took, d.starts = time.Since(begun), last.Add(-time.Second)
		if err != nil {
			return err
		}
		counts, err := c.Numbers("stats-tube " + disturbedTube)
		if n := counts["current-jobs-delayed"]; err == nil && n != int64(d.load.Backlog) {
			err = fmt.Errorf("%d jobs are delayed, and should be %d", n, d.load.Backlog)
		}
		return err
	})
}
