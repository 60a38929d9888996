//go:build linux

package peers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/testserver"
)

var fromDebian = flag.Bool("debian", false, "test with Redis and RabbitMQ, too, which are fetched")

// Each peer does each kind of load, on the disk with a restart: every job comes back whole, none is left, and after the
// restart all are there.
func TestPeers(t *testing.T) {
	program, _, _ := strings.Cut(testserver.Command(t), " ")
	for _, p := range All(program, "no-such-program") {
		if p.Name == "beanstalkd" {
			continue // its client is that of beanfield
		}
		t.Run(fmt.Sprintf("%s %v", p.Name, p.Durable), func(t *testing.T) {
			t.Parallel()
			if p.source.pack != "" && !*fromDebian {
				t.Skip("this needs Debian's package: go test ./tools/bench/peers -debian")
			}
			how := How{Peer: &p, Data: t.TempDir(), Within: time.Minute}
			for _, ld := range []load.Load{
				{Connections: 3, Depth: 4},
				{Kind: Push, Connections: 4, Producers: 2, Depth: 8, Window: 10},
				{Kind: Delayed, Connections: 4, Producers: 2, Rate: 100},
				{Kind: load.Restart, Connections: 3, Backlog: 250},
			} {
				if p.Durable != (ld.Kind == load.Restart) {
					continue
				}
				ld = load.Of(ld)
				ld.Duration = 200 * time.Millisecond
				res, err := how.Once(t.Context(), ld)
				for errors.Is(err, load.ErrNothing) { // others had the processors
					ld.Duration *= 2
					res, err = how.Once(t.Context(), ld)
				}
				if errors.Is(err, ErrOut) && how.able(&ld) != nil {
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", ld.Kind, err)
				} else if res.Ops == 0 || res.Latency.P50 <= 0 || res.Server.CPUPerOp <= 0 ||
					(res.Recovery != nil) != (ld.Kind == load.Restart) {
					// A job that was not delayed is less than nothing late, which counts as nothing.
					t.Errorf("%s: %+v", ld.Kind, res)
				}
			}
		})
	}
}

// A peer that is too slow for its backlog, has nothing for a row, or whose package cannot be had is left out, and says
// why; one that gives back another body, or keeps a job, ends the row.
func TestLeftOut(t *testing.T) {
	all := All("no-such-program", "no-such-program")
	queue := func(name string) Peer {
		for _, p := range all {
			if p.Name == name && p.Durable {
				return p
			}
		}
		t.Fatal(name)
		return Peer{}
	}
	nats, lists := queue("NATS JetStream"), queue("Redis lists")
	slow := How{Peer: &nats, Data: t.TempDir()}
	_, err := slow.Once(t.Context(), load.Of(load.Load{Kind: load.Restart, Backlog: 10}))
	if !errors.Is(err, ErrOut) || !strings.Contains(err.Error(), "it had 0 of 10 jobs") {
		t.Error("too slow:", err)
	}
	if _, err = (How{Peer: &lists}).Once(t.Context(), load.Of(load.Load{Kind: Push})); !errors.Is(err, ErrOut) {
		t.Error("nothing for this:", err)
	}
	t.Setenv("PATH", t.TempDir()+":/bin:/usr/bin")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	lists.source = source{"no-such-package", "usr/bin/no-such-program"}
	if _, _, err = lists.source.find(t.Context(), false); !errors.Is(err, ErrOut) {
		t.Error("no package:", err)
	}
	right := body(7)
	if at, err := stamp(right); at != 7 || err != nil {
		t.Error(at, err)
	}
	right[bodySize-1]++
	if _, err := stamp(right); err == nil {
		t.Error("another body is taken")
	}
}

// The test binary stands in for the program where a server is started as {self}.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "nats" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := ServeNATS(ctx, os.Args[2:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testserver.Run(m))
}
