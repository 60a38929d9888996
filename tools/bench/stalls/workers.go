package stalls

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/talk"
)

// pauseMargin is how much the clocks of two processes may differ.
const pauseMargin = 50 * time.Millisecond

// hire opens the connections of the workers that wait for jobs of the disturbed tube. At the end, their jobs are given
// back.
func (d *disturbance) hire() error { return d.connect(load.KindReserve, 1, disturbedTube) }

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
	d.starts = time.Now().Add(time.Duration(seconds)*time.Second - pauseMargin)
	return d.stepper.Start()
}

// endPause is over when each worker has its job.
func (d *disturbance) endPause() error {
	d.stepper.Stop()
	return d.serve(func() bool { return d.stepper.Rests() })
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
	if err := d.stepper.Start(); err != nil {
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
