package stalls

import (
	"bytes"
	"errors"
	"fmt"

	"beanfield/tools/bench/generator"
)

// Disturbances by clients that watch very many tubes.

// watchedPrefix begins the names of tubes that are watched in numbers.
const watchedPrefix = "bench-watched-"

// watchTubes watches the load's tubes, in addition to so many.
func (d *disturbance) watchTubes(c *generator.Client, already int) error {
	return c.Stream(d.load.Tubes,
		func(b []byte, i int) []byte { return fmt.Appendf(b, "watch %s%d\r\n", watchedPrefix, i) },
		func(line []byte) error {
			if already++; string(line) != fmt.Sprintf("WATCHING %d", already) {
				return fmt.Errorf("watch was answered %.80q, want %d", line, already)
			}
			return nil
		})
}

func (d *disturbance) watch() error { return d.watchTubes(d.one, 1) }

// watchAll opens so many connections, each of which watches the load's tubes, and then the
// disturbed one.
func (d *disturbance) watchAll(n int) error {
	for i := range n {
		c, err := d.dial(d.target.Addr, stepPiece)
		if err != nil {
			return err
		}
		d.clients = append(d.clients, c)
		if err := d.watchTubes(c, 1); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
		if err := c.Ask("watch "+disturbedTube, fmt.Sprintf("WATCHING %d", d.load.Tubes+2)); err != nil {
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
	if d.one, err = d.dial(d.target.Addr, stepPiece); err != nil {
		return err
	}
	// The tube exists while nobody else needs it.
	if err := d.one.Ask("use "+disturbedTube, "USING "+disturbedTube); err != nil {
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
	return d.await(d.one, func(counts map[string]int64) (bool, error) {
		left := counts["current-watching"]
		if left > int64(d.load.Connections) {
			return false, fmt.Errorf("%d connections watch the tube, and at most %d should", left, d.load.Connections)
		}
		return left == 0, nil
	})
}

const (
	// questions is how often a question is asked: now and then, an answer is ready before
	// the neighbour has had to wait for it.
	questions = 10
	// longestAnswer is more than any answer has.
	longestAnswer = 64 << 20
)

// question asks what takes longer to answer if the server has more tubes or clients.
func (d *disturbance) question(command string, right func(answer []byte) error) error {
	for range questions {
		answer, err := d.one.Text(command, longestAnswer)
		if err == nil {
			err = right(answer)
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
		err := worker.Ask("reserve-with-timeout 0", "TIMED_OUT")
		if err == nil {
			err = errors.Join(worker.Send("reserve"), d.one.Send(fmt.Sprintf("put 0 0 %d %d\r\n%s", jobTTR, len(body), body)))
		}
		if err != nil {
			return err
		}
		line, err := d.one.Line()
		if err != nil {
			return err
		}
		id, ok := generator.After(line, "INSERTED ")
		if !ok {
			return fmt.Errorf("put was answered %.80q", line)
		}
		for _, want := range []string{fmt.Sprintf("RESERVED %d %d", id, len(body)), body} {
			if err := worker.Answer("reserve", want); err != nil {
				return err
			}
		}
		if err := worker.Ask(fmt.Sprintf("%s%d", generator.VerbDelete, id), "DELETED"); err != nil {
			return err
		}
	}
	return nil
}
