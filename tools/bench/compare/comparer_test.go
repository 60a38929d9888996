package compare

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/floor"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/testserver"
)

// The whole comparison, between two bare loops that are this very program, one of
// them in beanfield's place, and a third that does not start.
func TestCompare(t *testing.T) {
	bare := func(name string) peer {
		return peer{Name: name, Class: classMemory, Command: bareCommand, bare: true, baseline: name == nameBeanstalkd}
	}
	c := comparer{
		peers: []peer{bare(nameBeanfield), bare(nameBeanstalkd), {Name: "broken", Class: classMemory,
			Command: "{self} bare -no-such-flag"}},
		rounds: 2, repeats: 4, warmup: 10 * time.Millisecond, duration: 50 * time.Millisecond, seed: 1,
		data: t.TempDir(),
		rows: []row{
			{name: "a", title: "A", load: base(func(ld *load.Load) { ld.Connections, ld.Depth = 3, 2 }),
				goals: []goal{atLeast(metricThroughput, 0)}},
			{name: "b", title: "B", load: base(sixteenCycles)},
		},
	}
	must.Do(t, c.compare(context.Background()))
	peers := c.out.Rows[0].Peers
	for k, rounds := range []int{2, 2, 0} {
		if len(peers[k].Rounds) != rounds {
			t.Errorf("%s: %d rounds, want %d", peers[k].Name, len(peers[k].Rounds), rounds)
		}
	}
	if peers[2].Absent == "" {
		t.Error("the server that does not start is not reported")
	}
	if left, err := os.ReadDir(c.data); err != nil || len(left) != 0 {
		t.Errorf("%d directories of servers were left, %v", len(left), err)
	}
	if c.out.markdown() == "" || c.out.chart() == "" {
		t.Error("nothing to show")
	}
}

// The test binary stands in for the program where a server is started as {self}.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bare" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := floor.Serve(ctx, os.Args[2:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "queue" {
		os.Exit(testserver.Process(os.Args[2:]))
	}
	os.Exit(m.Run())
}
