package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// A one measures how long jobs that come one at a time take to reach whoever waits for them.
type one struct {
	body             []byte
	producer, worker talk.Client
	consumer         *talk.Visitor
	// await returns when the job has come, again when it waits for the next.
	await, again func() error
}

// pause is how long the server is left alone before each put, so that whoever takes the
// job really waits.
const pause = 200 * time.Microsecond

// MeasureOne puts one job after another, each when the one before is done and whoever
// takes it waits again. A latency is the time from the put to the arrival of the job.
func MeasureOne(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, ld.Warmup+ld.Duration+time.Duration(patience))
	defer cancel()
	turn := &socket.Turn{Context: ctx}
	if set.Wait == generator.WaitSpin {
		turn.Spin(func() bool { return ctx.Err() == nil })
	}
	o := &one{body: generator.NewPayload(ld.Body, 1, ld.Seed).Body()}
	var err error
	if o.producer, err = talk.DialSide(t.Addr, turn, onePiece); err != nil {
		return nil, err
	}
	defer o.producer.Close()
	if err := o.producer.MoveTo(tube); err != nil {
		return nil, err
	}
	leave, err := o.attend(t, ld.Kind, turn)
	if err != nil {
		return nil, err
	}
	defer leave()
	h, first, last, err := o.drive(t, &ld)
	if err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	if h.N == 0 || first.At == 0 {
		return nil, generator.ErrNothing
	}
	res := result.Between(&ld, string(set.Wait), t.PID, h.N, &first, &last)
	res.Latency = map[string]result.Latency{"all": result.LatencyOf(h)}
	return res, nil
}

// onePiece holds any job.
const onePiece = 256 << 10

// attend has the taker wait for its first job: as a consumer with auto-commit, or as a
// worker, which reserves a job, deletes it, and reserves the next.
func (o *one) attend(t generator.Target, kind string, turn *socket.Turn) (leave func(), err error) {
	if kind == load.KindPushOne {
		side, err := socket.DialSide(t.Queue, turn, onePiece)
		if err != nil {
			return nil, err
		}
		o.consumer = talk.NewVisitor(side, onePiece)
		o.await, o.again = o.pushed, func() error { return nil }
		return func() { side.Close() }, o.consumer.Fetch(talk.WatchRequest(tube, "_auto_commit_=true", name(0), group), "HTTP/1.1 101 ")
	}
	if o.worker, err = talk.DialSide(t.Addr, turn, onePiece); err != nil {
		return nil, err
	}
	o.await, o.again = o.reserved, func() error { return o.worker.Expect("delete", "DELETED") }
	return o.worker.Close, errors.Join(o.worker.MoveTo(tube), o.worker.Tell("reserve"))
}

func (o *one) pushed() error {
	return o.consumer.Whole(func(b []byte) (int, error) {
		kind, payload, n := frame(b)
		if n > 0 && (kind != frameBinary || !bytes.HasSuffix(payload, o.body)) {
			return 0, fmt.Errorf("pushed %.80q", b)
		}
		return n, nil
	})
}

func (o *one) reserved() error {
	r, err := o.worker.Next()
	if err == nil && (r.Word != "RESERVED" || !bytes.Equal(r.Body, o.body)) {
		err = talk.Answered("reserve", r)
	}
	if err != nil {
		return err
	}
	return o.worker.Tell(fmt.Sprintf("delete %d\r\nreserve", r.Number))
}

func (o *one) drive(t generator.Target, ld *load.Load) (h *result.Histogram, first, last machine.Moment, err error) {
	put := puts(o.body, 1)
	h = new(result.Histogram)
	base := time.Now()
	for begun := false; time.Since(base) < ld.Warmup+ld.Duration; {
		if at := time.Since(base); !begun && at >= ld.Warmup {
			begun = true
			first = machine.MomentOf(t.PID, t.Disk, int64(at))
			h.Reset()
		}
		for calm := time.Now(); time.Since(calm) < pause; {
		}
		sent := time.Now()
		if err = o.producer.Send(put); err == nil {
			err = o.await()
		}
		h.Record(int64(time.Since(sent)), 1)
		if err == nil {
			err = o.producer.Expect("put", "INSERTED ")
		}
		if err == nil {
			err = o.again()
		}
		if err != nil {
			return nil, first, last, fmt.Errorf("one job: %w", err)
		}
	}
	return h, first, machine.MomentOf(t.PID, t.Disk, int64(time.Since(base))), nil
}
