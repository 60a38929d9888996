package stalls

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
)

// A pause ends while there are jobs, and workers that wait for them.
type pause struct {
	crowd
	staff
	events []syscall.EpollEvent
	ends   time.Time
	ledger *generator.Ledger
	left   int // workers that wait
	reply  generator.Reply
}

// pauseMargin is how much the clocks of two processes may differ.
const pauseMargin = 50 * time.Millisecond

func (p *pause) prepare(ctx context.Context) error {
	if err := p.fill(ctx); err != nil {
		return err
	}
	// A few at a time, so that the neighbour has its turn.
	p.events = make([]syscall.EpollEvent, 16)
	p.ledger, p.left = generator.NewLedger(), p.load.Connections
	if err := p.hireAll(p.left); err != nil {
		return err
	}
	seconds := int(math.Ceil(p.load.Disturb.Peace.Seconds())) + 1
	err := p.talk(ctx, func(c *generator.Client) error {
		return c.Ask(fmt.Sprintf("pause-tube %s %d", disturbedTube, seconds), "PAUSED")
	})
	if err != nil {
		return err
	}
	p.ends = time.Now().Add(time.Duration(seconds) * time.Second)
	return p.wait()
}

func (p *pause) step() (bool, error) {
	n, err := socket.Wait(p.epfd, p.events, 0)
	if err != nil {
		return false, err
	}
	for _, ev := range p.events[:n] {
		if err := p.served(p.workers[ev.Fd]); err != nil {
			return false, err
		}
	}
	return n > 0, nil
}

// served takes the job of a worker.
func (p *pause) served(w *wire) error {
	if err := w.fill(); err != nil {
		return err
	}
	n, err := p.reply.Parse(w.in)
	if n == 0 || err != nil {
		return err
	}
	if p.reply.Word != generator.WordReserved || n != len(w.in) || !p.payload.Intact(p.reply.Body) {
		return fmt.Errorf("reserve was answered %.80q", w.in)
	}
	if !p.ledger.Mark(p.reply.ID) {
		return fmt.Errorf("job %d was handed out twice", p.reply.ID)
	}
	if early := time.Until(p.ends); early > pauseMargin {
		return fmt.Errorf("a worker got a job %v before the pause ended", early)
	}
	w.in = w.in[:0]
	p.left--
	return nil
}

func (p *pause) starts() time.Time { return p.ends.Add(-pauseMargin) }

func (p *pause) begin() error { return nil }

func (p *pause) over() bool { return p.left == 0 }

func (p *pause) end() { p.dismiss() }
