package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"beanfield/conn"
	"beanfield/conn/beanstalk"
	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/conn/client"
	"beanfield/router"
	"beanfield/storage"
	"beanfield/storage/must"
)

const patience = must.Patience

// field is a beanfield in this process. It keeps jobs in memory.
type field struct {
	addr   string
	stop   func() error
	router *router.Router
}

func startField() (*field, error) {
	log := slog.New(slog.DiscardHandler)
	r, err := router.New(router.Options{Shards: 2, Store: storage.Memory()})
	if err != nil {
		return nil, err
	}
	a, err := conn.NewAcceptor(conn.Options{Logger: log})
	if err != nil {
		return nil, err
	}
	s, err := beanstalk.NewServer(r, a, beanstalk.Options{MaxJobSize: beanstalk.DefaultMaxJobSize, Loops: 1,
		Logger: log})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go a.Serve(l, s)
	return &field{l.Addr().String(), func() error {
		a.Stop()
		return errors.Join(s.Shutdown(context.Background()), r.Close())
	}, r}, nil
}

func beanfield(t testing.TB) string {
	t.Helper()
	f := must.Get(startField())
	t.Cleanup(func() { must.Do(t, f.stop()) })
	return f.addr
}

// beanstalkd starts one, or skips the test on a machine without it.
func beanstalkd(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "bs"))
	path := filepath.Join(dir, "s")
	process := exec.Command(clienttest.Beanstalkd(t), "-l", "unix:"+path)
	must.Do(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		os.RemoveAll(dir)
	})
	must.Until(t, "beanstalkd listens", func() bool {
		c, err := net.Dial("unix", path)
		return err == nil && c.Close() == nil
	})
	return "unix:" + path
}

// both runs a test with either server.
func both(t *testing.T, test func(t *testing.T, server string)) {
	t.Run("beanfield", func(t *testing.T) { test(t, beanfield(t)) })
	t.Run("beanstalkd", func(t *testing.T) { test(t, beanstalkd(t)) })
}

func at(server string) client.Config {
	return client.Config{Servers: []string{server}, Timeout: patience}
}

func dial(t testing.TB, server string) *client.Conn {
	t.Helper()
	c := must.Get(client.Dial(t.Context(), at(server)))
	t.Cleanup(func() { c.Close() })
	return c
}

// within is a context for calls that must not hang.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// played is a Config whose server is played by a test: reply is called for each command, with its body
// if it has one, and gives what is answered, without the last line end; "" hangs up. There is no socket
// in it, so that it works on the clock of a bubble.
func played(reply func(line, body string) string) client.Config {
	dial := func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go play(there, reply)
		return here, nil
	}
	return client.Config{Servers: []string{"played"}, Dial: dial}
}

// nothing is the reply to a command that is not answered yet.
const nothing = "nothing"

func play(c net.Conn, reply func(line, body string) string) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		words, body := strings.Fields(line), ""
		size := ""
		switch words[0] {
		case "put", "put-in-tube", "delete-batch", "release-batch", "bury-batch":
			size = words[len(words)-1]
		case "put-with", "put-batch":
			size = words[1]
		}
		if n, err := strconv.Atoi(size); err == nil {
			text := make([]byte, n+2)
			if _, err := io.ReadFull(in, text); err != nil {
				return
			}
			body = string(text[:n])
		}
		answer := reply(line, body)
		if answer == "" {
			return
		}
		if answer == nothing {
			continue
		}
		if _, err := fmt.Fprintf(c, "%s\r\n", answer); err != nil {
			return
		}
	}
}

// script is a server that answers a command by its line or its verb; as a server that does not know it, otherwise. It
// notes what it hears.
type script struct {
	has     string // the commands that beanstalkd does not have
	answers map[string]string
	heard   []string
	dials   int
}

func (s *script) reply(line, _ string) string {
	s.heard = append(s.heard, line)
	verb, _, _ := strings.Cut(line, " ")
	answer, ok := s.answers[line]
	if !ok {
		answer, ok = s.answers[verb]
	}
	switch {
	case verb == "capabilities":
		if s.dials++; s.has != "" {
			list := "---\n- " + strings.ReplaceAll(s.has, " ", "\n- ") + "\n"
			return fmt.Sprintf("OK %d\r\n%s", len(list), list)
		}
	case ok:
		return answer
	}
	return "UNKNOWN_COMMAND"
}

func (s *script) dial(t *testing.T) *client.Conn {
	return must.Get(client.Dial(t.Context(), played(s.reply)))
}

// hears checks what it has heard since it was asked last.
func (s *script) hears(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(s.heard, ", "); got != strings.Join(want, ", ") {
		t.Errorf("the server hears %s, want %q", got, want)
	}
	s.heard = nil
}

// fails checks that an error is all of these.
func fails(t *testing.T, what any, err error, want ...error) {
	t.Helper()
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("%v: %v, want %v", what, err, w)
		}
	}
}

// last is the error of a call that returns something else, too.
func last(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}

// exists checks that a key is taken by a job.
func exists(t *testing.T, what any, err error, id uint64) {
	t.Helper()
	fails(t, what, err, client.ErrExists)
	if e := (*client.ExistsError)(nil); errors.As(err, &e) && e.ID != id {
		t.Errorf("%v: job %d has the key, not %d", what, e.ID, id)
	}
}

// shows checks some keys of a document: "state=ready pri=7".
func shows(t *testing.T, d client.Document, want string) {
	t.Helper()
	for _, w := range strings.Fields(want) {
		if key, value, _ := strings.Cut(w, "="); d.Get(key) != value {
			t.Errorf("%s is %q, want %s: %v", key, d.Get(key), value, d)
		}
	}
}
