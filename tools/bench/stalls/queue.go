//go:build linux

package stalls

import (
	"fmt"
	"io"
	"time"

	"beanfield/tools/bench/socket"
)

// Disturbances by the queue service: one request that concerns every job of a queue, or consumers that never read.

const (
	firstGroup  = "first"
	secondGroup = "second"
	// headPiece is so little that hardly anything is read beyond the head of an answer.
	headPiece = 4 << 10
)

// A service is such a disturbance: a request, and what its answer begins with.
type service struct {
	groups        []string // that the queue has before
	request, want string   // "": consumers that never read
}

var (
	none, first = []string(nil), []string{firstGroup}
	two         = []string{firstGroup, secondGroup}

	touch = service{none, asks("GET", "_auto_delete_=false&requestId=none"), "HTTP/1.1 204 "}
	group = service{first, watches("_window_=1", "bench", secondGroup), upgraded}
	drop  = service{two, asks("DELETE", "_group_="+secondGroup), answeredOK}
	// It names an index above all others.
	truncate     = service{first, asks("DELETE", "_trunc_=true&_index_=9000000000000000000"), answeredOK}
	truncateView = service{two, truncate.request, answeredOK}
	stuck        = service{}
)

const (
	answeredOK = "HTTP/1.1 200 "
	upgraded   = "HTTP/1.1 101 "
)

func asks(method, query string) string {
	return socket.Request(method, disturbedTube, query, "bench", firstGroup) + "\r\n"
}

func watches(how, user, group string) string {
	return socket.WatchRequest(disturbedTube, how, user, group)
}

// of makes the queue as the request is to find it: with a million jobs, and with groups or without.
func (s service) of(d *disturbance) (func() error, error) {
	if _, _, err := d.filled(); err != nil {
		return nil, err
	}
	for _, g := range s.groups {
		w, err := d.visit()
		if err == nil {
			err = w.Fetch(watches("_window_=1", "bench", g), upgraded)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.request == "" {
		return d.stuck()
	}
	v, err := d.visit()
	return func() error { return v.Fetch(s.request, s.want) }, err
}

// visit connects to the queue service.
func (d *disturbance) visit() (*socket.Requester, error) {
	s, err := d.side(d.target.Queue)
	return socket.NewRequester(s, headPiece), err
}

// stuck has consumers with auto-commit begin to watch, and never read but the answers to their handshakes. It goes on
// while the load lasts.
func (d *disturbance) stuck() (func() error, error) {
	var all []*socket.Requester
	for range d.load.Connections {
		v, err := d.visit()
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return func() error {
		ends := time.Now().Add(d.load.Duration)
		for i, v := range all {
			if _, err := io.WriteString(v, watches("_auto_commit_=true", fmt.Sprint(i), firstGroup)); err != nil {
				return err
			}
		}
		for _, v := range all {
			if err := v.Head(upgraded); err != nil {
				return err
			}
		}
		return d.turn.Sleep(time.Until(ends))
	}, nil
}
