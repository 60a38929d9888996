package stalls

import (
	"fmt"
	"math"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/talk"
)

// Disturbances by very many jobs that change their state at once. The jobs stay from one to
// the next; what puts them and brings them into their states is not measured.

// jobTTR is longer than any disturbance: no job may come back by itself.
const jobTTR = 3600

// put puts jobs, each with the delay of its moment.
func (d *disturbance) put(c talk.Client, n int, delay func() int) error {
	d.ids = d.ids[:0]
	body := d.payload.Body()
	return c.Stream(n, func(b []byte, _ int) []byte {
		b = fmt.Appendf(b, "put %d %d %d %d\r\n", generator.JobPriority, delay(), jobTTR, len(body))
		return append(append(b, body...), "\r\n"...)
	}, func(r client.Reply) error {
		if r.Word != "INSERTED" {
			return talk.Answered("put", r)
		}
		d.ids = append(d.ids, r.Number)
		return nil
	})
}

func noDelay() int { return 0 }

// fill puts the jobs the first time, and later waits until all are ready again.
func (d *disturbance) fill() error {
	return d.talk(func(c talk.Client) error {
		if len(d.ids) == 0 {
			return d.put(c, d.load.Backlog, noDelay)
		}
		return d.await(c, counted("current-jobs-ready", d.load.Backlog))
	})
}

// taken checks a job that was handed out.
func (d *disturbance) taken(r client.Reply) error {
	if r.Word != "RESERVED" {
		return talk.Answered("reserve", r)
	}
	if !d.payload.Intact(r.Body) {
		return fmt.Errorf("job %d came back with a body that was not put: %.40q", r.Number, r.Body)
	}
	return nil
}

// bury buries each job as soon as it is reserved: if all are
// reserved first, beanstalkd takes time that grows with the square of their number.
func (d *disturbance) bury() error {
	if err := d.fill(); err != nil {
		return err
	}
	reserved := false
	err := d.talk(func(c talk.Client) error {
		return c.Stream(2*len(d.ids), func(b []byte, i int) []byte {
			if i%2 == 0 {
				return append(b, "reserve-with-timeout 0\r\n"...)
			}
			return fmt.Appendf(b, "bury %d %d\r\n", d.ids[i/2], generator.JobPriority)
		}, func(r client.Reply) error {
			if reserved = !reserved; reserved {
				return d.taken(r)
			}
			if r.Line != "BURIED" {
				return talk.Answered("bury", r)
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
	return d.one.Say(fmt.Sprintf("kick %d", d.load.Backlog), fmt.Sprintf("KICKED %d", d.load.Backlog))
}

// reserveAll has one worker hold every job.
func (d *disturbance) reserveAll() error {
	if err := d.fill(); err != nil {
		return err
	}
	if err := d.dialOne(); err != nil {
		return err
	}
	worker, err := d.dial()
	if err != nil {
		return err
	}
	d.clients = append(d.clients, worker)
	if err := worker.MoveTo(disturbedTube); err != nil {
		return err
	}
	seen := generator.NewLedger()
	return worker.Stream(d.load.Backlog, talk.AppendPoll, func(r client.Reply) error {
		err := d.taken(r)
		if err == nil && !seen.Mark(r.Number) {
			err = fmt.Errorf("job %d was handed out twice", r.Number)
		}
		return err
	})
}

// die closes the worker's connection.
func (d *disturbance) die() error {
	d.clients[0].Close()
	return d.settle()
}

// settle is over when the counts of the disturbed tube say that every job is ready.
func (d *disturbance) settle() error {
	return d.await(d.one, func(counts client.Document) (bool, error) {
		there := int64(0)
		for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
			there += counts.Number("current-jobs-" + state)
		}
		if there != int64(d.load.Backlog) {
			return false, fmt.Errorf("the tube has %d jobs, and should have %d", there, d.load.Backlog)
		}
		return counts.Number("current-jobs-ready") == there, nil
	})
}

// sampleShare is the part of the jobs that is put first, to see how long all will take.
const sampleShare = 20

// delay puts jobs that all come due in one second.
func (d *disturbance) delay() error {
	if err := d.dialOne(); err != nil {
		return err
	}
	return d.talk(func(c talk.Client) error {
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
		counts, err := c.Stats("stats-tube " + disturbedTube)
		if n := counts.Number("current-jobs-delayed"); err == nil && n != int64(d.load.Backlog) {
			err = fmt.Errorf("%d jobs are delayed, and should be %d", n, d.load.Backlog)
		}
		return err
	})
}
