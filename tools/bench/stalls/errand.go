package stalls

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// An errand is one HTTP request on a connection of its own. It never waits, so it can go
// on beside the neighbour.
type errand struct {
	wire *wire
	text string
	want string // how the answer begins; "": any answer will do
	done bool
}

const (
	firstGroup  = "first"
	secondGroup = "second"
)

// newErrand connects. The headers name the client and its group.
func newErrand(addr, method, query, group, want string) (*errand, error) {
	w, err := dialWire(addr)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s /api/predict/%s?%s HTTP/1.1\r\nHost: localhost\r\n"+
		"X-EAS-QueueService-Uid: bench\r\nX-EAS-QueueService-Gid: %s\r\n", method, disturbedTube, query, group)
	return &errand{wire: w, text: text, want: want}, nil
}

// newWatch makes a consumer of a group, once it is sent. It reads no items.
func newWatch(addr, group, user, how string) (*errand, error) {
	e, err := newErrand(addr, "GET", "_watch_=true&_index_=0&"+how, group, "HTTP/1.1 101 ")
	if err == nil {
		e.text = strings.Replace(e.text, "Uid: bench", "Uid: "+user, 1) + "Connection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	}
	return e, err
}

func (e *errand) send() error { return e.wire.send(e.text) }

// step reads the head of the answer.
func (e *errand) step() (bool, error) {
	if e.done {
		return false, nil
	}
	had := len(e.wire.in)
	if err := e.wire.fill(); err != nil {
		return false, err
	}
	head, _, whole := bytes.Cut(e.wire.in, []byte("\r\n\r\n"))
	if !whole {
		return len(e.wire.in) > had, nil
	}
	if !bytes.HasPrefix(head, []byte(e.want)) {
		return false, fmt.Errorf("answered %.200q, want %q", e.wire.in, e.want)
	}
	e.done = true
	return true, nil
}

// run sends the request and waits for the answer: for what comes before the measurement.
func (e *errand) run(ctx context.Context) error {
	if err := e.send(); err != nil {
		return err
	}
	retry := time.NewTicker(flowPace)
	defer retry.Stop()
	for !e.done {
		if _, err := e.step(); err != nil {
			return err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return fmt.Errorf("a request is not answered: %w", ctx.Err())
		}
	}
	return nil
}

// close may be called for an errand that was never made.
func (e *errand) close() {
	if e != nil {
		e.wire.close()
	}
}
