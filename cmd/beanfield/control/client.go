package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Client asks the node of a data directory.
type Client struct{ dir string }

// At is a client of the node whose directory cluster this is.
func At(dir string) Client { return Client{dir} }

// Status asks for what the node knows: JSON of a cluster.Status.
func (c Client) Status(ctx context.Context) (json.RawMessage, error) {
	return c.ask(ctx, http.MethodGet, "status", nil)
}

// Verify has the copies of all nodes compared: JSON of a cluster.Verification.
func (c Client) Verify(ctx context.Context) (json.RawMessage, error) {
	return c.ask(ctx, http.MethodGet, "verify", nil)
}

// Obey has the node carry out an order.
func (c Client) Obey(ctx context.Context, command string, o Order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	got, err := c.ask(ctx, http.MethodPost, command, text)
	if err != nil {
		return err
	}
	var a Answer
	if err := json.Unmarshal(got, &a); err != nil {
		return err
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

func (c Client) ask(ctx context.Context, method, what string, body []byte) ([]byte, error) {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return dial(ctx, c.dir)
	}}
	r, err := http.NewRequestWithContext(ctx, method, "http://node/"+what, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	got, err := transport.RoundTrip(r)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("no node of a cluster runs with %s", strings.TrimSuffix(c.dir, "/cluster"))
	case err != nil:
		return nil, fmt.Errorf("the node of %s: %w", strings.TrimSuffix(c.dir, "/cluster"), err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("the node, which is of another version, does not know %q", what)
	}
	if err == nil && got.StatusCode != http.StatusOK {
		err = fmt.Errorf("the node answers %s: %s", got.Status, strings.TrimSpace(string(text)))
	}
	return text, err
}
