package profile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/measure"
	"beanfield/tools/server"
)

// cases are the servers' further flags, and the loads. Each has the same part in the profile.
var cases = []struct{ server, load string }{
	{"", "-load cycle"},
	{"", "-load cycles -depth 16"},
	{"", "-load cycles -depth 16 -tubes 20 -watch-all"},
	{"", "-load apart -c 50 -tubes 4"},
	{"-b {dir}", "-load cycles -depth 16"},
	{"-b {dir} -f 50", "-load cycles -depth 16"},
	{"-queue 127.0.0.1:{queue}", "-load push -depth 16 -window 100 -commit 16"},
}

// The port of TLS, which no case uses, is that of the profiles.
const config = "[http]\nlisten = ['127.0.0.1:{tls}']\npprof = true\n"

// Main profiles a server under each load, and writes the sum.
func Main(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench profile", flag.ContinueOnError)
	program := f.String("beanfield", "", "beanfield's `program`, built with -trimpath; default: built from this module")
	out := f.String("out", "cmd/beanfield/default.pgo", "`file` of the profile")
	each := f.Duration("time", 10*time.Second, "how long each load lasts")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *each < 2*time.Second {
		return errors.New("-time must be 2s at least")
	}
	if err := server.RaiseFileLimit(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "profile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *program == "" {
		// Without paths of this machine in the profile, with which others build.
		if *program, err = server.Beanfield(ctx, dir, "-trimpath"); err != nil {
			return err
		}
	}
	merge := []string{"tool", "pprof", "-proto", "-output", *out}
	for i, c := range cases {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(c.server+" "+c.load))
		path := filepath.Join(dir, strconv.Itoa(i))
		command := strings.TrimSpace(*program + " -config {config} -l 127.0.0.1 -p {port} " + c.server)
		if err := one(ctx, server.Launch{Command: command, Config: config}, c.load, path, *each); err != nil {
			return fmt.Errorf("%s: %w", c.load, err)
		}
		merge = append(merge, path)
	}
	if said, err := exec.CommandContext(ctx, "go", merge...).CombinedOutput(); err != nil {
		return fmt.Errorf("go tool pprof: %w\n%s", err, said)
	}
	return nil
}

// one profiles a new server under a load.
func one(ctx context.Context, how server.Launch, flags, path string, each time.Duration) error {
	ld := load.Default()
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	ld.Flags(f)
	if err := f.Parse(strings.Fields(flags)); err != nil {
		return err
	}
	ld.Duration = each
	s, err := how.Prepare()
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := s.Serve(ctx); err != nil {
		return err
	}
	wait, err := measure.WaitFor(measure.WaitAuto, false)
	if err != nil {
		return err
	}
	fetched := make(chan error, 1)
	go func() { fetched <- fetch(ctx, s.TLS, path, each) }()
	target := generator.Target{Addr: s.Addr, Queue: s.Queue, PID: s.PID(), Owned: true}
	_, err = measure.Running(ctx, target, ld, generator.Settings{Wait: wait, Settle: measure.Settle,
		Say: func(string, ...any) {}})
	return errors.Join(err, <-fetched)
}

// fetch asks a server for a profile of the next seconds.
func fetch(ctx context.Context, addr, path string, each time.Duration) error {
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
