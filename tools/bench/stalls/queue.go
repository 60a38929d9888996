package stalls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// Disturbances by the queue service: one request that concerns every job of a queue, or
// consumers that never read.

const (
	firstGroup  = "first"
	secondGroup = "second"
	answeredOK  = "HTTP/1.1 200 "
	upgraded    = "HTTP/1.1 101 "
	// truncateAll names an index above all others.
	truncateAll = "_trunc_=true&_index_=9000000000000000000"
	// headPiece is so little that hardly anything is read beyond the head of an answer.
	headPiece = 4 << 10
)

// queue makes the queue as the request is to find it: with a million jobs, and with
// groups or without. It connects those who ask then.
func (d *disturbance) queue() error {
	addr := d.target.Queue
	if addr == "" {
		return errors.New("needs the address of a queue service (-queue)")
	}
	if err := clearQueue(d.turn.Context, addr); err != nil {
		return err
	}
	d.ids = nil
	if err := d.fill(); err != nil {
		return err
	}
	groups := map[string][]string{
		load.DisturbGroup: {firstGroup}, load.DisturbTruncate: {firstGroup},
		load.DisturbDrop: {firstGroup, secondGroup}, load.DisturbTruncateView: {firstGroup, secondGroup},
	}
	for _, g := range groups[d.load.Disturb.By] {
		w, err := d.visit()
		if err != nil {
			return err
		}
		if err := w.Fetch(talk.WatchRequest(disturbedTube, "_window_=1", "bench", g), upgraded); err != nil {
			return err
		}
	}
	asking := 1
	if d.load.Disturb.By == load.DisturbStuck {
		asking = d.load.Connections
	}
	for range asking {
		v, err := d.visit()
		if err != nil {
			return err
		}
		d.visitors = append(d.visitors, v)
	}
	return nil
}

// visit connects to the queue service.
func (d *disturbance) visit() (*talk.Visitor, error) {
	s, err := socket.DialSide(d.target.Queue, &d.turn, headPiece)
	if err != nil {
		return nil, err
	}
	d.ends = append(d.ends, func() { s.Close() })
	return talk.NewVisitor(s, headPiece), nil
}

func (d *disturbance) fetch(method, query, want string) error {
	return d.visitors[0].Fetch(talk.Request(method, disturbedTube, query, "bench", firstGroup)+"\r\n", want)
}

func (d *disturbance) touch() error {
	return d.fetch("GET", "_auto_delete_=false&requestId=none", "HTTP/1.1 204 ")
}

func (d *disturbance) drop() error { return d.fetch("DELETE", "_group_="+secondGroup, answeredOK) }

func (d *disturbance) truncate() error { return d.fetch("DELETE", truncateAll, answeredOK) }

// group is the first consumer of a second group.
func (d *disturbance) group() error {
	return d.visitors[0].Fetch(talk.WatchRequest(disturbedTube, "_window_=1", "bench", secondGroup), upgraded)
}

// stick has consumers with auto-commit begin to watch, and never read but the answers to
// their handshakes. It goes on while the load lasts.
func (d *disturbance) stick() error {
	ends := time.Now().Add(d.load.Duration)
	for i, v := range d.visitors {
		if _, err := io.WriteString(v, talk.WatchRequest(disturbedTube, "_auto_commit_=true", fmt.Sprint(i),
			firstGroup)); err != nil {
			return err
		}
	}
	for _, v := range d.visitors {
		if err := v.Head(upgraded); err != nil {
			return err
		}
	}
	return d.turn.Sleep(time.Until(ends))
}

// clearQueue takes away the jobs and the groups, if there are any, and so the tube.
func clearQueue(ctx context.Context, addr string) error {
	for _, query := range []string{truncateAll, "_group_=" + secondGroup, "_group_=" + firstGroup} {
		s, err := socket.DialSide(addr, &socket.Turn{Context: ctx}, headPiece)
		if err != nil {
			return err
		}
		err = talk.NewVisitor(s, headPiece).Fetch(talk.Request("DELETE", disturbedTube, query, "bench", firstGroup)+
			"\r\n", "")
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
