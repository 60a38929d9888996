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
)

// one measures how long jobs that come one at a time take to reach whoever waits for them.
type one struct {
	body  []byte
	came  bool // the job has come
	said  bool // the put is answered
	ready bool // whoever takes the jobs waits for the next
}

// A putter puts one job when it is told to.
type putter struct{ *one }

func (p putter) take(b []byte) (int, error) {
	end := bytes.IndexByte(b, '\n') + 1
	if end > 0 && !bytes.HasPrefix(b, inserted) {
		return 0, fmt.Errorf("a put was answered %.80q", b)
	}
	p.said = p.said || end > 0
	return end, nil
}

// A listener is a consumer with auto-commit.
type listener struct{ *one }

func (l listener) take(b []byte) (int, error) {
	kind, payload, n := frame(b)
	if n > 0 && (kind != frameBinary || !bytes.HasSuffix(payload, l.body)) {
		return 0, fmt.Errorf("pushed %.80q", b)
	}
	if n > 0 {
		l.came, l.ready = true, true
	}
	return n, nil
}

// A worker reserves a job, deletes it, and reserves the next.
type worker struct {
	*one
	wire **wire
}

var deleted = []byte("DELETED\r\n")

func (w worker) take(b []byte) (int, error) {
	if bytes.HasPrefix(b, deleted) {
		w.ready = true
		return len(deleted), nil
	}
	end := bytes.IndexByte(b, '\n') + 1
	n := end + len(w.body) + 2
	if end == 0 || len(b) < n {
		return 0, nil
	}
	var id uint64
	var size int
	if _, err := fmt.Sscanf(string(b[:end]), "RESERVED %d %d", &id, &size); err != nil || !bytes.Equal(b[end:n-2], w.body) {
		return 0, fmt.Errorf("a reserve was answered %.80q", b)
	}
	w.came = true
	return n, (*w.wire).send(fmt.Appendf(nil, "delete %d\r\nreserve\r\n", id))
}

// MeasureOne puts one job after another, each when the one before is done and whoever
// takes it waits again. A latency is the time from the put to the arrival of the job.
func MeasureOne(ctx context.Context, t generator.Target, ld load.Load, set generator.Settings) (*result.Result, error) {
	o := &one{body: generator.NewPayload(ld.Body, 0, 1, ld.Seed).Body(), ready: true}
	l, err := newLoop()
	if err != nil {
		return nil, err
	}
	defer l.close()
	fd, err := socket.Dial(t.Addr)
	if err != nil {
		return nil, err
	}
	if err := generator.MoveTo(fd, tube); err != nil {
		socket.CloseAll([]int{fd})
		return nil, err
	}
	from, err := l.add(fd, putter{o})
	if err == nil {
		err = o.attend(l, t, ld.Kind)
	}
	if err != nil {
		return nil, err
	}
	return o.drive(ctx, l, from, t, &ld, set)
}

// attend connects whoever takes the jobs.
func (o *one) attend(l *loop, t generator.Target, kind string) error {
	if kind == load.KindPushOne {
		fd, err := watch(t.Queue, tube, 0, 0)
		if err == nil {
			_, err = l.add(fd, listener{o})
		}
		return err
	}
	fd, err := socket.Dial(t.Addr)
	if err != nil {
		return err
	}
	if err = generator.MoveTo(fd, tube); err != nil {
		socket.CloseAll([]int{fd})
		return err
	}
	w := worker{o, new(*wire)}
	if *w.wire, err = l.add(fd, w); err != nil {
		return err
	}
	return (*w.wire).send([]byte("reserve\r\n"))
}

// pause is how long the server is left alone before each put, so that whoever takes the
// job really waits.
const pause = 200 * time.Microsecond

func (o *one) drive(ctx context.Context, l *loop, from *wire, t generator.Target, ld *load.Load, set generator.Settings) (*result.Result, error) {
	put := puts(o.body, 1)
	wait := int64(0)
	if set.Wait == generator.WaitEpoll {
		wait = longestWait
	}
	var h result.Histogram
	base := time.Now()
	var first machine.Moment
	for begun := time.Duration(0); time.Since(base) < ld.Warmup+ld.Duration; {
		if begun == 0 && time.Since(base) >= ld.Warmup {
			begun = time.Since(base)
			first = machine.MomentOf(t.PID, t.Disk, int64(begun))
			h.Reset()
		}
		for calm := time.Now(); time.Since(calm) < pause; {
			if _, err := l.look(0); err != nil {
				return nil, err
			}
		}
		o.came, o.said, o.ready = false, false, false
		sent := time.Now()
		if err := from.send(put); err != nil {
			return nil, err
		}
		for took := time.Duration(0); !o.came || !o.said || !o.ready; {
			if _, err := l.look(wait); err != nil {
				return nil, err
			}
			if took == 0 && o.came {
				took = time.Since(sent)
				h.Record(int64(took), 1)
			}
			if time.Since(sent) > time.Duration(patience) || ctx.Err() != nil {
				return nil, errors.Join(errors.New("a job did not come"), ctx.Err())
			}
		}
	}
	last := machine.MomentOf(t.PID, t.Disk, int64(time.Since(base)))
	ns := float64(last.At - first.At)
	if h.N == 0 || first.At == 0 {
		return nil, generator.ErrNothing
	}
	res := &result.Result{
		Load: *ld, Wait: string(set.Wait), Seconds: ns / 1e9, Ops: h.N, OpsPerSec: float64(h.N) / ns * 1e9,
		Latency: map[string]result.Latency{"all": result.LatencyOf(&h)},
	}
	if t.PID != 0 {
		cpu := last.Server.CPU - first.Server.CPU
		res.OthersCPU = max(0, float64(last.Busy-first.Busy-(last.Self-first.Self)-cpu)/ns)
		res.Server = result.ServerUse{CPU: float64(cpu) / ns, CPUPerOp: float64(cpu) / float64(h.N) / 1e3, RSS: last.Server.RSS, PeakRSS: last.Server.Peak}
	}
	return res, nil
}
