package generator

import (
	"fmt"
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

// Fetch sends a request and reads the head of its answer, which begins with want.
func (c *Client) Fetch(request, want string) error {
	if err := c.Write([]byte(request)); err != nil {
		return err
	}
	return c.Head(want)
}

// Head reads the head of an answer.
func (c *Client) Head(want string) error {
	first, err := c.Line()
	if err == nil && !strings.HasPrefix(string(first), want) {
		err = fmt.Errorf("answered %.200q, want %q", first, want)
	}
	for line := first; err == nil && len(line) > 0; {
		line, err = c.Line()
	}
	return err
}
