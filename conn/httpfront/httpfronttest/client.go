package httpfronttest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"beanfield/storage/must"
)

// Client is a connection, byte by byte.
type Client struct {
	T testing.TB
	net.Conn
	In   *bufio.Reader
	sent string // last
}

// Send writes a text.
func (c *Client) Send(text string) {
	c.T.Helper()
	c.sent = text
	must.Get(io.WriteString(c, text))
}

// Response reads the answer to a request of this method, with its body.
func (c *Client) Response(method string) (*http.Response, string) {
	c.T.Helper()
	r, body, err := c.Answer(method)
	if err != nil {
		c.T.Fatal(err)
	}
	return r, body
}

// Expect reads an answer that must have this status, and returns its body. The request must not be a HEAD.
func (c *Client) Expect(status int) string {
	c.T.Helper()
	r, body := c.Response(http.MethodGet)
	if r.StatusCode != status {
		c.T.Errorf("%.300q is answered %d %.100q, want %d", c.sent, r.StatusCode, body, status)
	}
	return body
}

// Answer is Response for a client that may be sent away.
func (c *Client) Answer(method string) (*http.Response, string, error) {
	r, err := http.ReadResponse(c.In, &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(r.Body)
	return r, string(body), err
}

// Ended makes sure that the server closes the connection, and returns what it sends before.
func (c *Client) Ended() string {
	c.T.Helper()
	rest, err := io.ReadAll(c.In)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		c.T.Error("the connection is not closed")
	}
	return string(rest)
}

// Request is the text of a request.
func Request(method, target, headers, body string) string {
	if body != "" {
		headers += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s", method, target, headers, body)
}
