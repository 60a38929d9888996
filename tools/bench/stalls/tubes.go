package stalls

import (
	"bytes"
	"errors"
	"fmt"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/talk"
)

// Disturbances by clients that watch very many tubes.

// watchedPrefix begins the names of tubes that are watched in numbers.
const watchedPrefix = "bench-watched-"

// watchTubes watches the load's tubes, in addition to so many.
func (d *disturbance) watchTubes(c talk.Client, already int) error {
	return c.Stream(d.load.Tubes,
		func(b []byte, i int) []byte { return fmt.Appendf(b, "watch %s%d\r\n", watchedPrefix, i) },
		func(r client.Reply) error {
			if already++; r.Line != fmt.Sprintf("WATCHING %d", already) {
				return fmt.Errorf("%w, want %d", talk.Answered("watch", r), already)
			}
			return nil
		})
}

func (d *disturbance) watch() error { return d.watchTubes(d.one, 1) }

// watchAll opens so many connections, each of which watches the load's tubes, and then the
// disturbed one.
func (d *disturbance) watchAll(n int) error {
	for i := range n {
		c, err := d.dial()
		if err != nil {
			return err
		}
		d.clients = append(d.clients, c)
		if err := d.watchTubes(c, 1); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
		if err := c.Say("watch "+disturbedTube, fmt.Sprintf("WATCHING %d", d.load.Tubes+2)); err != nil {
			return err
		}
	}
	return nil
}

func (d *disturbance) watchOnce() error { return errors.Join(d.dialOne(), d.watchAll(1)) }

// watchOften ends when the server counts all, so that none of the time before is left.
func (d *disturbance) watchOften() (err error) {
	if err = d.watchAll(d.load.Connections); err != nil {
		return err
	}
	if d.one, err = d.dial(); err != nil {
		return err
	}
	// The tube exists while nobody else needs it.
	if err := d.one.Say("use "+disturbedTube, "USING "+disturbedTube); err != nil {
		return err
	}
	return d.await(d.one, counted("current-watching", d.load.Connections))
}

// hangUp closes all. Each has watched the disturbed tube last, so when it has left that
// tube it has probably left the others.
func (d *disturbance) hangUp() error {
	for _, c := range d.clients {
		c.Close()
	}
	return d.await(d.one, func(counts client.Document) (bool, error) {
		left := counts.Number("current-watching")
		if left > int64(d.load.Connections) {
			return false, fmt.Errorf("%d connections watch the tube, and at most %d should", left, d.load.Connections)
		}
		return left == 0, nil
	})
}

// questions is how often a question is asked: now and then, an answer is ready before
// the neighbour has had to wait for it.
const questions = 10

// question asks what takes longer to answer if the server has more tubes or clients.
func (d *disturbance) question(command string, right func(answer []byte) error) error {
	for range questions {
		r, err := d.one.Ask(command)
		if err == nil && r.Word != "OK" {
			err = talk.Answered(command, r)
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
func (d *disturbance) list() error {
	return d.question("list-tubes", func(answer []byte) error {
		if n := bytes.Count(answer, []byte("\n- "+watchedPrefix)); n != d.load.Tubes {
			return fmt.Errorf("list-tubes has %d of %d tubes", n, d.load.Tubes)
		}
		return nil
	})
}

// reserve has a client that watches very many tubes find no job, wait, and get the
// one that is put into the tube it watched last. This is repeated.
func (d *disturbance) reserve() error {
	const body = "x"
	worker := d.clients[0]
	for range questions {
		err := worker.Say("reserve-with-timeout 0", "TIMED_OUT")
		if err == nil {
			err = worker.Tell("reserve")
		}
		if err != nil {
			return err
		}
		put, err := d.one.Put(fmt.Sprintf("put 0 0 %d %d", jobTTR, len(body)), []byte(body))
		if err != nil {
			return err
		}
		job, err := worker.Next()
		switch {
		case err != nil:
			return err
		case put.Word != "INSERTED":
			return talk.Answered("put", put)
		case job.Word != "RESERVED" || job.Number != put.Number || string(job.Body) != body:
			return talk.Answered("reserve", job)
		}
		if err := worker.Say(fmt.Sprintf("%s%d", talk.VerbDelete, job.Number), "DELETED"); err != nil {
			return err
		}
	}
	return nil
}
