package stalls

import (
	"context"
	"fmt"
	"strings"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
)

// A crowd is the many jobs of a disturbance, with what puts them and brings them into
// their states. None of that is measured.
type crowd struct {
	addr    string
	load    *load.Load
	payload *generator.Payload
	ids     []uint64 // of the jobs, once they are put
	size    string   // how a reply to reserve ends
	body    []byte   // the one just read
}

func newCrowd(addr string, ld *load.Load) crowd {
	p := generator.NewPayload(ld.Body, 0, 1, ld.Seed)
	return crowd{
		addr: addr, load: ld, payload: p,
		size: fmt.Sprintf(" %d", len(p.Body())), body: make([]byte, len(p.Body())+2),
	}
}

// crowdTTR is longer than any disturbance: no job may come back by itself.
const crowdTTR = 3600

// talk opens a connection to the disturbed tube for do, and closes it afterwards.
func (w *crowd) talk(ctx context.Context, do func(*generator.Client) error) error {
	c, err := w.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, c.Close)()
	return do(c)
}

// dial connects to the disturbed tube.
func (w *crowd) dial() (*generator.Client, error) {
	c, err := generator.Dial(w.addr)
	if err != nil {
		return nil, err
	}
	for _, say := range [][2]string{
		{"use " + disturbedTube, "USING " + disturbedTube},
		{"watch " + disturbedTube, "WATCHING 2"},
		{"ignore default", "WATCHING 1"},
	} {
		if err := c.Ask(say[0], say[1]); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// put puts the jobs, each with the delay of its moment.
func (w *crowd) put(c *generator.Client, n int, delay func() int) error {
	w.ids = w.ids[:0]
	body := w.payload.Body()
	return c.Stream(n, func(b []byte, _ int) []byte {
		b = fmt.Appendf(b, "put %d %d %d %d\r\n", generator.JobPriority, delay(), crowdTTR, len(body))
		b = append(b, body...)
		return append(b, "\r\n"...)
	}, func(line string) error {
		id, found := after(line, "INSERTED ")
		if !found {
			return fmt.Errorf("put was answered %.80q", line)
		}
		w.ids = append(w.ids, id)
		return nil
	})
}

func noDelay() int { return 0 }

// fill puts the jobs the first time, and later waits until all are ready again.
func (w *crowd) fill(ctx context.Context) error {
	return w.talk(ctx, func(c *generator.Client) error {
		if len(w.ids) == 0 {
			return w.put(c, w.load.Backlog, noDelay)
		}
		return w.awaitReady(ctx, c)
	})
}

// awaitReady waits for jobs whose worker has just gone.
func (w *crowd) awaitReady(ctx context.Context, c *generator.Client) error {
	pace := time.NewTicker(counterPace)
	defer pace.Stop()
	for {
		counts, err := c.Numbers("stats-tube " + disturbedTube)
		if err != nil || counts["current-jobs-ready"] == int64(w.load.Backlog) {
			return err
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return fmt.Errorf("%d jobs of %d are ready: %w", counts["current-jobs-ready"], w.load.Backlog, ctx.Err())
		}
	}
}

// reserve reserves every job on one connection.
func (w *crowd) reserve(c *generator.Client) error {
	seen := generator.NewLedger()
	return c.Stream(w.load.Backlog, func(b []byte, _ int) []byte {
		return append(b, "reserve-with-timeout 0\r\n"...)
	}, func(line string) error {
		id, err := w.taken(c, line)
		if err == nil && !seen.Mark(id) {
			err = fmt.Errorf("job %d was handed out twice", id)
		}
		return err
	})
}

// taken reads the rest of a reply to reserve.
func (w *crowd) taken(c *generator.Client, line string) (uint64, error) {
	id, found := after(strings.TrimSuffix(line, w.size), "RESERVED ")
	if !found {
		return 0, fmt.Errorf("reserve was answered %.80q", line)
	}
	body := w.body[:len(w.payload.Body())+2]
	if err := c.Read(body); err != nil {
		return 0, err
	}
	if !w.payload.Intact(body[:len(body)-2]) {
		return 0, fmt.Errorf("job %d came back with a body that was not put: %.40q", id, body)
	}
	return id, nil
}

// deleteAll deletes the jobs, which need not be reserved for that.
func (w *crowd) deleteAll(c *generator.Client) error {
	return c.Stream(len(w.ids), func(b []byte, i int) []byte {
		return generator.AppendCommand(b, generator.VerbDelete, w.ids[i])
	}, func(line string) error {
		if line != "DELETED" {
			return fmt.Errorf("delete was answered %.80q", line)
		}
		return nil
	})
}

// after reads the number that follows a word.
func after(line, word string) (uint64, bool) {
	if len(line) <= len(word) || line[:len(word)] != word {
		return 0, false
	}
	return generator.Decimal([]byte(line[len(word):]))
}
