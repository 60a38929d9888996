package compare

import (
	"context"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/result"
)

// A goal beside the bare loop is a ratio to it, not to beanstalkd.
func TestGoalsBesideTheBareLoop(t *testing.T) {
	r := rowResult{
		Title: "made", row: row{class: classAlways, goals: []goal{
			atLeast(metricThroughput, 6), beside(nameLogged, atMost(metricCPU, 1.15)),
			beside(nameFork, atLeast(metricThroughput, 2)), beside("nobody", atLeast(metricThroughput, 2)),
		}},
		Peers: []peerResult{
			{Name: nameBeanfield, Rounds: []*result.Result{round(700, 12, 1)}},
			{Name: nameBeanstalkd, Rounds: []*result.Result{round(100, 40, 1)}, peer: peer{baseline: true}},
			{Name: nameLogged, Rounds: []*result.Result{round(1000, 10, 1)}, peer: peer{bare: true}},
			{Name: nameFork, Rounds: []*result.Result{round(500, 10, 1)}, peer: peer{fork: true}},
		},
	}
	tells(t, (&comparison{Rows: []rowResult{r}}).markdown(),
		"| made | throughput | at least 6.00 x | 7.00 | yes |",
		"| made | server CPU per operation | at most 1.15 x the bare loop with a log | 1.20 | missed |",
		"| made | throughput | at least 2.00 x the fork | 1.40 | missed |",
		"| made | beanfield | 700 | 7.00 | 0.700 | 12.0 | 0.300 | 1.20 |",
		"| made | beanstalkd | 100 | 1 | 0.100 | 40.0 | 1 | 4.00 |",
		"| made | bare loop with a log | 1,000 | 10.0 | 1 | 10.0 | 0.250 | 1 |",
	)
}

// The rows of durable cycles with bare loops in the places of all servers: the goals are
// ratios to the one that is there for that, and each has written its jobs' records.
func TestCompareBareLoops(t *testing.T) {
	chosen := must.Get(chooseRows("always,always-puts,always-pipelined,written"))
	bare := func(name string) peer {
		return peer{
			Name: name, Class: classAlways, Command: "{self} bare -p {port} -d {dir} -log 1048576",
			baseline: name == nameBeanstalkd, bare: name == nameLogged,
		}
	}
	c := comparer{
		peers: []peer{bare(nameBeanfield), bare(nameBeanstalkd), bare(nameLogged)}, rows: chosen,
		rounds: 1, repeats: 2, scale: 0.002, duration: 50 * time.Millisecond, seed: 1, data: t.TempDir(),
	}
	must.Do(t, c.compare(context.Background()))
	text := c.out.markdown()
	tells(t, text,
		"| 50 connections, fsync before each reply | server CPU per operation | at most 1.15 x the bare loop with a log |",
		"| fsync before each reply, 16 cycles pipelined | server CPU per operation | at most 2.00 x the bare loop with a log |",
		"| 4,000 jobs that are soon deleted, 16 cycles pipelined, fsync before each reply | bytes written for each job | at most 190 |",
		"| 4,000 jobs that are soon deleted, 16 cycles pipelined, fsync before each reply | bare loop with a log |",
		diskHead,
	)
	if strings.Contains(text, "not measured") {
		t.Errorf("a goal without its number:\n%s", text)
	}
	for _, r := range c.out.Rows {
		for _, p := range r.Peers {
			for _, res := range p.Rounds {
				if res.Server.OnDisk < 1<<20 || metricOnDisk.of(res) < 1 {
					t.Errorf("%s, %s: %d bytes on the disk", r.Name, p.Name, res.Server.OnDisk)
				}
				// At the beginning and at the end, a pipeline of each connection may be counted without
				// its bytes.
				jobs := float64(res.Ops) / float64(res.Load.JobOperations())
				least := 120 * (1 - 2*50*16/jobs)
				if res.Server.WrittenPerOp > 0 && metricWritten.of(res) < least {
					t.Errorf("%s, %s: %v bytes written for each job, which has %v", r.Name, p.Name,
						metricWritten.of(res), least)
				}
			}
		}
	}
}
