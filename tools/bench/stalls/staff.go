package stalls

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// A staff is the workers that wait for jobs of the disturbed tube, each on a connection.
type staff struct {
	loop    *socket.Loop
	conns   []*socket.Conn
	payload *generator.Payload
	ledger  *generator.Ledger
	left    int       // workers that wait
	ends    time.Time // the pause
}

const (
	// servedAtOnce are a few, so that the neighbour has its turn.
	servedAtOnce = 16
	// pauseMargin is how much the clocks of two processes may differ.
	pauseMargin = 50 * time.Millisecond
)

// hire opens the workers' connections. At the end, their jobs are given back.
func (d *disturbance) hire() error {
	loop, err := socket.NewLoop(servedAtOnce)
	if err != nil {
		return err
	}
	d.ends = append(d.ends, loop.Close)
	d.workers = &staff{loop: loop, payload: d.payload, ledger: generator.NewLedger(), left: d.load.Connections}
	for i := range d.load.Connections {
		fd, err := d.target.DialTube(disturbedTube)
		if err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		c, err := loop.Add(fd, nil, d.workers)
		if err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		d.workers.conns = append(d.workers.conns, c)
	}
	return nil
}

// wait has every worker wait for a job.
func (s *staff) wait() error {
	for _, c := range s.conns {
		if err := c.Send([]byte("reserve\r\n")); err != nil {
			return err
		}
	}
	return nil
}

// Take takes the job of a worker.
func (s *staff) Take(b []byte) (int, error) {
	var r generator.Reply
	n, err := r.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(b, []byte("RESERVED ")) || n != len(b) || !s.payload.Intact(r.Body) {
		return 0, fmt.Errorf("reserve was answered %.80q", b)
	}
	if !s.ledger.Mark(r.ID) {
		return 0, fmt.Errorf("job %d was handed out twice", r.ID)
	}
	if early := time.Until(s.ends); early > pauseMargin {
		return 0, fmt.Errorf("a worker got a job %v before the pause ended", early)
	}
	s.left--
	return n, nil
}

// pause has workers wait for the jobs of a paused tube.
func (d *disturbance) pause() error {
	if err := d.fill(); err != nil {
		return err
	}
	if err := d.hire(); err != nil {
		return err
	}
	seconds := int(math.Ceil(d.load.Disturb.Peace.Seconds())) + 1
	err := d.talk(func(c talk.Client) error {
		return c.Say(fmt.Sprintf("pause-tube %s %d", disturbedTube, seconds), "PAUSED")
	})
	if err != nil {
		return err
	}
	d.workers.ends = time.Now().Add(time.Duration(seconds) * time.Second)
	d.starts = d.workers.ends.Add(-pauseMargin)
	return d.workers.wait()
}

// endPause is over when each worker has its job.
func (d *disturbance) endPause() error {
	for d.workers.left > 0 {
		n, err := d.workers.loop.Turn(0)
		if err == nil {
			err = d.turn.Pass(n > 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// crowd has very many clients wait for jobs.
func (d *disturbance) crowd() error {
	if err := d.hire(); err != nil {
		return err
	}
	if err := d.dialOne(); err != nil {
		return err
	}
	// The waiters of the time before may still be leaving: counted with some of
	// these, they would make up the number too early.
	if err := d.await(d.one, counted("current-waiting", 0)); err != nil {
		return err
	}
	if err := d.workers.wait(); err != nil {
		return err
	}
	return d.await(d.one, counted("current-waiting", d.load.Connections))
}

// stats asks for the counts of the tube for which they wait.
func (d *disturbance) stats() error {
	want := fmt.Appendf(nil, "\ncurrent-waiting: %d\n", d.load.Connections)
	return d.question("stats-tube "+disturbedTube, func(answer []byte) error {
		if !bytes.Contains(answer, want) {
			return fmt.Errorf("stats-tube has no line %q", want)
		}
		return nil
	})
}
