package client

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Job is a job that a Conn has reserved, and that nobody else gets until it is deleted, released or
// buried, its TTR is over, or the Conn ends. After one of the first three, all calls return
// ErrTaken; after the others, ErrNotFound or ErrClosed.
type Job struct {
	ID   uint64
	Body []byte

	// Tube is where the job was reserved: known if the call is for one tube, and of all jobs from
	// ReserveTagged and of a Worker; "" otherwise, as with a Worker that has a TTR and several tubes, and a
	// beanstalkd.
	Tube string
	// Reserves is the number of this attempt: how often the job has been reserved, this time included. It
	// is known of jobs from ReserveTagged and of a Worker's; 0 otherwise, as with a Worker that has a TTR and
	// a beanstalkd.
	Reserves int
	// Tags are known of jobs from ReserveTagged, and of a Worker's at a beanfield.
	Tags map[string]string

	conn *Conn
	done atomic.Bool
}

// Delete ends the job: its work is done.
func (j *Job) Delete(ctx context.Context) error {
	return j.once(func() error { return j.conn.Delete(ctx, j.ID) })
}

// Release gives the job back to its tube, where it becomes ready after the delay (in whole seconds,
// rounded up).
func (j *Job) Release(ctx context.Context, priority uint32, delay time.Duration) error {
	return j.once(func() error { return j.conn.Release(ctx, j.ID, priority, delay) })
}

// Bury puts the job aside until somebody kicks it.
func (j *Job) Bury(ctx context.Context, priority uint32) error {
	return j.once(func() error { return j.conn.Bury(ctx, j.ID, priority) })
}

// Touch gives the job its whole TTR again.
func (j *Job) Touch(ctx context.Context) error {
	if j.done.Load() {
		return ErrTaken
	}
	return j.conn.Touch(ctx, j.ID)
}

// Stats are those of the job.
func (j *Job) Stats(ctx context.Context) (Document, error) { return j.conn.StatsJob(ctx, j.ID) }

// once is for what can be done to the job only once. If it is certain that it was not done, it may be
// tried again.
func (j *Job) once(do func() error) error {
	if j.done.Swap(true) {
		return ErrTaken
	}
	err := do()
	if err != nil && !errors.Is(err, ErrLost) && !errors.Is(err, ErrNotFound) {
		j.done.Store(false)
	}
	return err
}
