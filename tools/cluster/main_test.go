package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// The test binary stands in for the server and its subcommand, if the variable says so.
const standsIn = "BEANFIELD_TEST_NODE"

// heeds ends the name of the file, beside its configuration, by which a stand-in says that it heeds SIGTERM now: before
// that the signal would kill it.
const heeds = ".heeds"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(standsIn) == "":
		os.Exit(m.Run())
	case os.Args[1] == "cluster" && os.Getenv(standsIn) == "follows":
		config := os.Args[len(os.Args)-1]
		if _, err := os.Stat(config + heeds); err != nil {
			fmt.Println(`{}`)
			return
		}
		fmt.Println(`{"shards": [{"shard": 0, "owner": "a"}]}`)
	case os.Args[1] == "cluster":
		fmt.Println(`{"nodes": [{"name": "a", "alive": true}, {"name": "b", "alive": false}],
			"shards": [{"shard": 0, "owner": "a", "epoch": 7}, {"shard": 1, "owner": "", "epoch": 8}]}`)
	case os.Getenv(standsIn) == "ends":
		os.Exit(3)
	default:
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		if os.Args[1] == "-config" {
			if err := os.WriteFile(os.Args[2]+heeds, nil, 0o600); err != nil {
				panic(err)
			}
		}
		<-term
		fmt.Println("in order")
		if os.Getenv(standsIn) == "follows" {
			os.Exit(1) // as a node does to which stopping took too long
		}
	}
}

// begun is a run that says what it says.
func begun(t *testing.T, mode string) (run, *io.PipeReader, *io.PipeWriter) {
	t.Setenv(standsIn, mode)
	in, out := io.Pipe()
	return run{dir: t.TempDir(), binary: must.Get(os.Executable()), out: out}, in, out
}

// heard reads until a text has come.
func heard(t *testing.T, in io.Reader, want string) string {
	t.Helper()
	text, b := "", make([]byte, 4096)
	for !strings.Contains(text, want) {
		n, err := in.Read(b)
		if text += string(b[:n]); err != nil {
			t.Fatalf("%q, %v; want %q", text, err, want)
		}
	}
	return text
}

func TestThreeNodes(t *testing.T) {
	r, in, _ := begun(t, "serves")
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- r.play(ctx) }()
	text := heard(t, in, "node b is away; shard 0: a, epoch 7; shard 1: nobody, epoch 8\n")
	for _, want := range []string{"node a: clients 127.0.0.1:", "node c: clients 127.0.0.1:",
		filepath.Join(r.dir, "b")} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	end()
	go func() { _, _ = io.Copy(io.Discard, in) }()
	must.Do(t, <-done)
}

func TestNodeThatEnds(t *testing.T) {
	r, in, _ := begun(t, "ends")
	go func() { _, _ = io.Copy(io.Discard, in) }()
	if err := r.play(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v", err)
	}
}
