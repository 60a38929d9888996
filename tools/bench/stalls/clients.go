//go:build linux

package stalls

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/load"
)

// Disturbances by very many clients, and by clients that watch very many tubes.

// connect prepares a load of a kind. All of it uses the tube; if there is none, the load's own.
func (d *disturbance) connect(kind string, depth int, tube string) (*load.Stepper, error) {
	ld := *d.load
	ld.Kind, ld.Depth = kind, depth
	s, err := load.NewStepper(d.target, ld, tube)
	if err == nil {
		d.ends = append(d.ends, s.Close)
	}
	return s, err
}

func (d *disturbance) busy() (func() error, error) { return d.work(load.Cycles, "") }

func (d *disturbance) fill() (func() error, error) { return d.work(load.Put, disturbedTube) }

// work is another tube under full load, while the load lasts.
func (d *disturbance) work(kind, tube string) (func() error, error) {
	s, err := d.connect(kind, d.load.Depth, tube)
	return func() error {
		ends := s.Now() + int64(d.load.Duration)
		if err := s.Start(); err != nil {
			return err
		}
		return d.serve(s, func() {
			if s.Now() >= ends {
				s.Stop()
			}
		})
	}, err
}

// serve serves one connection at a time, so that the neighbour comes after each, until all rest.
func (d *disturbance) serve(s *load.Stepper, look func()) error {
	for look(); !s.Rests(); look() {
		found, err := s.Look(0)
		if found && err == nil {
			err = s.Serve()
		}
		if err == nil {
			err = d.turn.Pass(found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pauseMargin is how much the clocks of two processes may differ.
const pauseMargin = 50 * time.Millisecond

// pause has workers wait for the jobs of a paused tube. It is over when each has its job.
func (d *disturbance) pause() (func() error, error) {
	one, _, err := d.filled()
	if err != nil {
		return nil, err
	}
	workers, err := d.connect(load.Reserve, 1, disturbedTube)
	if err != nil {
		return nil, err
	}
	seconds := int(math.Ceil(d.load.Peace.Seconds())) + 1
	if err := says(one, fmt.Sprintf("pause-tube %s %d", disturbedTube, seconds), "PAUSED"); err != nil {
		return nil, err
	}
	d.starts = time.Now().Add(time.Duration(seconds)*time.Second - pauseMargin)
	return func() error { return d.serve(workers, workers.Stop) }, workers.Start()
}

// stats asks for the counts of a tube for which very many clients wait.
func (d *disturbance) stats() (func() error, error) {
	crowd, err := d.connect(load.Reserve, 1, disturbedTube)
	if err != nil {
		return nil, err
	}
	one, err := d.worker()
	if err != nil {
		return nil, err
	}
	if err := crowd.Start(); err != nil {
		return nil, err
	}
	want := fmt.Appendf(nil, "\ncurrent-waiting: %d\n", d.load.Connections)
	return func() error {
		return questions(one, "stats-tube "+disturbedTube, func(answer []byte) error {
			if !bytes.Contains(answer, want) {
				return fmt.Errorf("stats-tube has no line %q", want)
			}
			return nil
		})
	}, d.await(one, counted("current-waiting", d.load.Connections))
}

// watchedPrefix begins the names of tubes that are watched in numbers.
const watchedPrefix = "bench-watched-"

// watchTubes watches the load's tubes, in addition to one.
func (d *disturbance) watchTubes(c *client.Client) error {
	already := 1
	return stream(c, d.load.Tubes,
		func(i int) string { return fmt.Sprintf("watch %s%d", watchedPrefix, i) },
		func(r client.Reply) error {
			if already++; r.Line != fmt.Sprintf("WATCHING %d", already) {
				return fmt.Errorf("watch was answered %.80q, want %d", r.Line, already)
			}
			return nil
		})
}

func (d *disturbance) watch() (func() error, error) {
	one, err := d.worker()
	return func() error { return d.watchTubes(one) }, err
}

// watcher connects a client that watches the load's tubes, and then the disturbed one.
func (d *disturbance) watcher() (*client.Client, error) {
	c, err := d.dial()
	if err != nil {
		return nil, err
	}
	if err := d.watchTubes(c); err != nil {
		return nil, err
	}
	return c, says(c, "watch "+disturbedTube, fmt.Sprintf("WATCHING %d", d.load.Tubes+2))
}

// hangup closes all connections. Each has watched the disturbed tube last, so when it has left that tube it has
// probably left the others.
func (d *disturbance) hangup() (func() error, error) {
	var all []*client.Client
	for i := range d.load.Connections {
		c, err := d.watcher()
		if err != nil {
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		all = append(all, c)
	}
	one, err := d.dial()
	if err == nil { // the tube exists while nobody else needs it
		err = says(one, "use "+disturbedTube, "USING ")
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		for _, c := range all {
			c.HangUp()
		}
		return d.await(one, func(counts client.Document) (bool, error) {
			left := counts.Number("current-watching")
			if left > int64(len(all)) {
				return false, fmt.Errorf("%d connections watch the tube, and at most %d should", left, len(all))
			}
			return left == 0, nil
		})
	}, d.await(one, counted("current-watching", len(all)))
}

// often is how often a question is asked: now and then, an answer is ready before the neighbour has had to wait for
// it.
const often = 10

// questions ask what takes longer to answer if the server has more tubes or clients.
func questions(c *client.Client, command string, right func(answer []byte) error) error {
	for range often {
		r, err := c.Ask(command)
		if err == nil {
			err = r.Want("OK")
		}
		if err == nil {
			err = right(r.Body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list asks for the names of all tubes.
func (d *disturbance) list() (func() error, error) {
	one, err := d.watcher()
	return func() error {
		return questions(one, "list-tubes", func(answer []byte) error {
			if n := bytes.Count(answer, []byte("\n- "+watchedPrefix)); n != d.load.Tubes {
				return fmt.Errorf("list-tubes has %d of %d tubes", n, d.load.Tubes)
			}
			return nil
		})
	}, err
}

// reserve has a client that watches very many tubes find no job, wait, and get the one that is put into the tube it
// watched last. This is repeated.
func (d *disturbance) reserve() (func() error, error) {
	one, err := d.worker()
	if err != nil {
		return nil, err
	}
	worker, err := d.watcher()
	return func() error {
		for range often {
			if err := says(worker, reserveNow, "TIMED_OUT"); err != nil {
				return err
			}
			err := worker.Send([]byte("reserve\r\n"))
			var put, job client.Reply
			if err == nil {
				put, err = one.Put(fmt.Sprintf("put 0 0 %d 1", jobTTR), []byte("x"))
			}
			if err == nil {
				job, err = worker.Next()
			}
			switch {
			case err != nil:
				return err
			case job.Word != "RESERVED" || job.Number != put.Number || string(job.Body) != "x":
				return fmt.Errorf("reserve was answered %.80q", job.Line)
			}
			if err := says(worker, fmt.Sprintf("delete %d", job.Number), "DELETED"); err != nil {
				return err
			}
		}
		return nil
	}, err
}
