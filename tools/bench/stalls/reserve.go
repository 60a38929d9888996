package stalls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/tools/bench/load"
)

// In a reserve, a client that watches very many tubes finds no job, waits, and gets the
// one that is put into the tube it watched last. This is repeated.
type reserve struct {
	addr             string
	load             *load.Load
	watchers         []*wire // one
	producer         *wire
	left             int
	state            reserveState
	id               uint64
	inserted, served bool
}

type reserveState uint8

const (
	reservePoll  reserveState = iota // to be sent
	reserveEmpty                     // there is no job
	reserveJob                       // it waits, the job is put
	reserveGone                      // the job is deleted
)

const reserveBody = "x"

func (r *reserve) prepare(ctx context.Context) error {
	r.left, r.state = questions, reservePoll
	var err error
	if r.watchers, err = dialAll(ctx, r.addr, 1, r.load.Tubes); err != nil {
		return err
	}
	if r.producer, err = dialWire(r.addr); err != nil {
		return err
	}
	return oneLine(ctx, r.producer, "use "+disturbedTube, "USING "+disturbedTube)
}

func (r *reserve) begin() error { return nil }

func (r *reserve) step() (bool, error) {
	if r.left == 0 {
		return false, nil
	}
	worker := r.watchers[0]
	if r.state == reservePoll {
		r.state = reserveEmpty
		return true, worker.send("reserve-with-timeout 0")
	}
	if r.state == reserveJob {
		return r.handOver(worker)
	}
	line, ok, err := worker.line()
	if !ok || err != nil {
		return false, err
	}
	if r.state == reserveEmpty {
		if line != "TIMED_OUT" {
			return false, fmt.Errorf("reserve-with-timeout 0 was answered %.80q", line)
		}
		r.state, r.inserted, r.served = reserveJob, false, false
		return true, errors.Join(worker.send("reserve"),
			r.producer.send(fmt.Sprintf("put 0 0 %d %d\r\n%s", crowdTTR, len(reserveBody), reserveBody)))
	}
	if line != "DELETED" {
		return false, fmt.Errorf("delete was answered %.80q", line)
	}
	r.left--
	r.state = reservePoll
	return true, nil
}

// handOver awaits the reply to the put and, on the other connection, the job.
func (r *reserve) handOver(worker *wire) (bool, error) {
	if !r.inserted {
		line, ok, err := r.producer.line()
		if !ok || err != nil {
			return false, err
		}
		if r.id, r.inserted = after(line, "INSERTED "); !r.inserted {
			return false, fmt.Errorf("put was answered %.80q", line)
		}
		return true, nil
	}
	line, ok, err := worker.line()
	if !ok || err != nil {
		return false, err
	}
	if !r.served {
		if line != fmt.Sprintf("RESERVED %d %d", r.id, len(reserveBody)) {
			return false, fmt.Errorf("reserve was answered %.80q", line)
		}
		r.served = true
		return true, nil
	}
	if line != reserveBody {
		return false, fmt.Errorf("job %d came with the body %.80q", r.id, line)
	}
	r.state = reserveGone
	return true, worker.send(fmt.Sprintf("delete %d", r.id))
}

func (r *reserve) starts() time.Time { return time.Time{} }
func (r *reserve) over() bool        { return r.left == 0 }

func (r *reserve) end() {
	closeAll(r.watchers)
	r.producer.close()
}
