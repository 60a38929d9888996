package stalls

import (
	"context"
	"errors"
	"time"

	"beanfield/tools/bench/load"
)

// An overhaul is one request to the queue service that concerns every job of a queue.
type overhaul struct {
	crowd
	queue    string // the address of the queue service
	watchers []*errand
	request  *errand
}

// prepare makes the queue as the request is to find it: with a million jobs, and with
// groups or without.
func (o *overhaul) prepare(ctx context.Context) error {
	if err := o.refill(ctx, o.queue); err != nil {
		return err
	}
	groups := map[string][]string{
		load.DisturbGroup: {firstGroup}, load.DisturbTruncate: {firstGroup},
		load.DisturbDrop: {firstGroup, secondGroup}, load.DisturbTruncateView: {firstGroup, secondGroup},
	}
	for _, g := range groups[o.load.Disturb.By] {
		w, err := newWatch(o.queue, g, "bench", "_window_=1")
		if err != nil {
			return err
		}
		o.watchers = append(o.watchers, w)
		if err := w.run(ctx); err != nil {
			return err
		}
	}
	var err error
	o.request, err = o.newRequest()
	return err
}

const answeredOK = "HTTP/1.1 200 "

func (o *overhaul) newRequest() (*errand, error) {
	switch o.load.Disturb.By {
	case load.DisturbGroup:
		return newWatch(o.queue, secondGroup, "bench", "_window_=1")
	case load.DisturbDrop:
		return newErrand(o.queue, "DELETE", "_group_="+secondGroup, firstGroup, answeredOK)
	case load.DisturbTouch:
		return newErrand(o.queue, "GET", "_auto_delete_=false&requestId=none", firstGroup, "HTTP/1.1 204 ")
	}
	return newErrand(o.queue, "DELETE", truncateAll, firstGroup, answeredOK)
}

// truncateAll names an index above all others.
const truncateAll = "_trunc_=true&_index_=9000000000000000000"

// refill puts the jobs, in a queue that is as good as new.
func (w *crowd) refill(ctx context.Context, queue string) error {
	if queue == "" {
		return errors.New("needs the address of a queue service (-queue)")
	}
	if err := clearQueue(ctx, queue); err != nil {
		return err
	}
	w.ids = nil
	return w.fill(ctx)
}

// clearQueue takes away the jobs and the groups, if there are any, and so the tube.
func clearQueue(ctx context.Context, addr string) error {
	for _, query := range []string{truncateAll, "_group_=" + secondGroup, "_group_=" + firstGroup} {
		e, err := newErrand(addr, "DELETE", query, firstGroup, "")
		if err != nil {
			return err
		}
		err = e.run(ctx)
		e.close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *overhaul) begin() error { return o.request.send() }

func (o *overhaul) step() (bool, error) { return o.request.step() }

func (o *overhaul) starts() time.Time { return time.Time{} }

func (o *overhaul) over() bool { return o.request.done }

func (o *overhaul) end() {
	o.request.close()
	for _, w := range o.watchers {
		w.close()
	}
	o.watchers = nil
}
