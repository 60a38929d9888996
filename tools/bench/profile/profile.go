//go:build linux

package profile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/server"
)

// cases are the servers' further flags, and the loads. Each has the same part in the profile.
var cases = []struct {
	flags string
	load  load.Load
}{
	{"", load.Load{}},
	{"", load.Load{Kind: load.Cycles, Depth: 16}},
	{"", load.Load{Kind: load.Cycles, Depth: 16, Tubes: 20, WatchAll: true}},
	{"", load.Load{Kind: load.Apart, Producers: 25, Tubes: 4}},
	{"-b {dir}", load.Load{Kind: load.Cycles, Depth: 16}},
	{"-b {dir} -f 50", load.Load{Kind: load.Cycles, Depth: 16}},
	{"-queue 127.0.0.1:{queue}", load.Load{Kind: load.Push, Producers: 25, Depth: 16, Window: 100, Commit: 16}},
}

// each is how long a load lasts.
const each = 10 * time.Second

// The port of TLS, which no case uses, is that of the profiles.
const config = "[http]\nlisten = ['127.0.0.1:{tls}']\npprof = true\n"

// out is where the compiler looks.
const out = "cmd/beanfield/default.pgo"

// Main profiles a server under each load, and writes the sum.
func Main(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("what is %q?", args[0])
	}
	if err := server.RaiseFileLimit(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "profile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// Without paths of this machine in the profile, with which others build.
	program, err := server.Beanfield(ctx, dir, "-trimpath")
	if err != nil {
		return err
	}
	merge := []string{"tool", "pprof", "-proto", "-output", out}
	for i, c := range cases {
		fmt.Fprintf(os.Stderr, "%d of %d\n", i+1, len(cases))
		path := filepath.Join(dir, strconv.Itoa(i))
		how := server.Launch{Command: program + " -config {config} -l 127.0.0.1 -p {port} " + c.flags, Config: config}
		if err := one(ctx, how, load.Of(c.load), path); err != nil {
			return fmt.Errorf("%+v: %w", c, err)
		}
		merge = append(merge, path)
	}
	if said, err := exec.CommandContext(ctx, "go", merge...).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool pprof: %w\n%s", err, said)
	}
	return nil
}

// one profiles a new server under a load.
func one(ctx context.Context, how server.Launch, ld load.Load, path string) error {
	ld.Warmup, ld.Duration = 300*time.Millisecond, each
	s, err := how.Prepare()
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := s.Serve(ctx); err != nil {
		return err
	}
	fetched := make(chan error, 1)
	go func() { fetched <- fetch(ctx, s.TLS, path) }()
	_, err = load.Generate(ctx, load.TargetOf(s), ld, load.Settings{Wait: load.Epoll})
	return errors.Join(err, <-fetched)
}

// fetch asks a server for a profile of the next seconds.
func fetch(ctx context.Context, addr, path string) error {
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", addr, int(each.Seconds()))
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", reply.Status, body)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o600)
}
