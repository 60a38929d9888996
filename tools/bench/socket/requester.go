//go:build linux

package socket

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Request is the beginning of a request to the queue service. It goes on with further
// headers, and with an empty line.
func Request(method, queue, query, user, group string) string {
	return fmt.Sprintf("%s /api/predict/%s?%s HTTP/1.1\r\nHost: localhost\r\n"+
		"X-EAS-QueueService-Uid: %s\r\nX-EAS-QueueService-Gid: %s\r\n", method, queue, query, user, group)
}

// WatchRequest makes a connection a consumer of a queue.
func WatchRequest(queue, how, user, group string) string {
	return Request("GET", queue, "_watch_=true&_index_=0&"+how, user, group) +
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
}

// A Requester is a connection to the queue service.
type Requester struct {
	io.ReadWriteCloser
	in *bufio.Reader
}

// NewRequester reads so much at a time at most.
func NewRequester(c io.ReadWriteCloser, most int) *Requester {
	return &Requester{c, bufio.NewReaderSize(c, most)}
}

// Fetch sends a request and reads the head of its answer, which begins with want.
func (v *Requester) Fetch(request, want string) error {
	if _, err := io.WriteString(v, request); err != nil {
		return err
	}
	return v.Head(want)
}

// Head reads the head of an answer.
func (v *Requester) Head(want string) error {
	first, err := v.in.ReadString('\n')
	if err == nil && !strings.HasPrefix(first, want) {
		err = fmt.Errorf("answered %.200q, want %q", first, want)
	}
	for line := first; err == nil && line != "\r\n"; {
		line, err = v.in.ReadString('\n')
	}
	return err
}

// Skip reads so many bytes of an answer's body.
func (v *Requester) Skip(n int) error {
	_, err := v.in.Discard(n)
	return err
}
