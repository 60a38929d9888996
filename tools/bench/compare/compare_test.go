//go:build linux

package compare

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/floor"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/peers"
	"beanfield/tools/bench/testserver"
)

// result is one with made-up numbers.
func result(ops, cpu, p99 float64) *load.Result {
	return &load.Result{
		OpsPerSec: ops, Latency: load.Latency{P50: p99 / 2, P99: p99, P999: 2 * p99},
		Server: load.ServerUse{CPUPerOp: cpu, RSS: 3 << 20},
	}
}

func loud(r *load.Result) *load.Result {
	r.OthersCPU = 0.5
	return r
}

// of is what a server did, by its name.
func of(name string, rounds ...*load.Result) peerResult {
	return peerResult{rounds: rounds, peer: peer{
		Name: name, ours: name == beanfield, baseline: name == beanstalkd, bare: strings.HasPrefix(name, bareLoop),
	}}
}

// titled is a row with goals.
func titled(title, class string, goals ...string) *row {
	r := &row{Title: title, Name: title, Class: class, Load: load.Of(load.Load{})}
	for _, text := range goals {
		var g goal
		if err := g.UnmarshalText([]byte(text)); err != nil {
			panic(err)
		}
		r.Goals = append(r.Goals, g)
	}
	return r
}

// made is a comparison with two rounds of made-up numbers.
func made() *comparer {
	three := []string{"throughput >= 2 x", "server CPU per operation <= 0.6 x", "p99 <= 1 x"}
	stalled := func(us, bare float64) *load.Result {
		return &load.Result{Stall: &load.Stall{Disturbed: load.Latency{Max: us}, BareUs: bare}}
	}
	stalls := titled("stalls", "", "longest stall of a neighbour, µs <= 2000")
	memory := titled("memory", "", "bytes each <= 50")
	stalls.Load.Kind, memory.Load.Kind = load.Neighbour, load.Memory
	return &comparer{
		rounds: 2, duration: 2 * time.Second,
		peers: []peer{{Name: beanfield, Command: "/bin/echo -p {port}", ours: true}},
		results: []rowResult{
			{titled("reached & <more>", "", three...), []peerResult{
				of(beanfield, result(300, 3, 10), result(500, 4, 30)), of(beanstalkd, result(100, 10, 20),
					result(200, 10, 20)),
			}},
			{titled("not reached", "", three...), []peerResult{
				of(beanfield, result(150, 9, 10), result(150, 9, 10)), of(beanstalkd, result(100, 10, 20),
					result(100, 10, 20)),
				of(bareLoop, result(200, 6, 10), result(200, 6, 10)),
			}},
			{titled("at the floor", "", three[0]), []peerResult{
				of(beanfield, result(150, 9, 10)), of(beanstalkd, result(100, 10, 20)), of(bareLoop, result(160, 8,
					10)),
			}},
			{titled("durable", always, three[0], "server CPU per operation <= 1.1 x bare loop with a log"),
				[]peerResult{
					of(beanfield, result(150, 9, 10)), of(beanstalkd, result(100, 10, 20)), of(loggedLoop, result(160,
						8, 10)),
				}},
			{titled("disturbed", "", three[0]), []peerResult{
				of(beanfield, loud(result(300, 3, 10))), of(beanstalkd, loud(result(100, 10, 20))),
			}},
			{titled("absent", "", three[0]), []peerResult{
				{peer: peer{Name: beanfield, ours: true}, absent: "it does not know this yet"},
				of(beanstalkd, result(100, 10, 20)),
			}},
			{memory, []peerResult{
				of(beanfield, loud(&load.Result{Server: load.ServerUse{BytesEach: 42}})),
			}},
			{stalls, []peerResult{of(beanfield, stalled(9000, 3), stalled(2300, 2000), stalled(100, 2500))}},
		},
	}
}

// tells wants a text to have parts.
func tells(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("missing: %s\nin\n%s", part, text)
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := made().markdown(t.Context(), "2001-02-03", "bench compare ")
	tells(t, text,
		"| reached & <more> | throughput | at least 2.00 x | 2.75 (2.50–3.00) | yes |",
		"| reached & <more> | server CPU per operation | at most 0.600 x | 0.350 (0.300–0.400) | yes |",
		"| reached & <more> | p99 | at most 1.00 x | 1.00 (0.500–1.50) | yes |",
		"| not reached | throughput | at least 2.00 x | 1.50 | missed |",
		"| not reached | server CPU per operation | at most 0.600 x | 0.900 | missed |",
		"| at the floor | throughput | at least 2.00 x | 1.50 | missed (at the floor: 1.12 x the CPU of the bare loop) |",
		// it waits for a disk, and so is never at the floor
		"| durable | throughput | at least 2.00 x | 1.50 | missed |",
		"| durable | server CPU per operation | at most 1.10 x the bare loop with a log | 1.12 | missed |",
		"| durable | beanfield | 150 | 1.50 | 0.938 | 9.00 | 0.900 | 1.12 |",
		"| disturbed | throughput | at least 2.00 x | 3.00 | unsure: others used the machine |",
		"| absent | throughput | at least 2.00 x | – | not measured |",
		"| absent | beanfield | did not start |",
		"| memory | bytes each | at most 50.0 | 42.0 | yes |",
		"| stalls | longest stall of a neighbour, µs | at most 2,000 | 2,300 (100–9,000) | missed (at the floor: a bare loop stalls 2,000",
		"\n| memory | beanfield | 42.0 bytes each | – |", "2001-02-03", "cores", "`bench compare`",
		"`echo -p {port}`, -v",
	)
	columns := 0
	for line := range strings.Lines(text) {
		n := strings.Count(line, "|")
		if n != columns && n*columns != 0 {
			t.Errorf("%d bars instead of %d: %s", n, columns, line)
		}
		columns = n
	}
}

func TestRows(t *testing.T) {
	seen := map[string]bool{"all": true, "awaited": true}
	for _, r := range rows {
		if seen[r.Name] {
			t.Errorf("row name %q is taken", r.Name)
		}
		seen[r.Name], seen[r.Set] = true, true
		disk := r.Class == always || r.Class == interval
		if r.Set != "stalls" && r.Set != "queue" && disk != (r.Set == "persistence") {
			t.Errorf("%s: class %q in the set %q", r.Name, r.Class, r.Set)
		}
		if stall := r.Load.Kind == load.Neighbour; stall != (r.Load.Disturb != "") || stall &&
			!strings.Contains(r.Flags, "-shards 1") {
			t.Errorf("%s: %+v", r.Name, r)
		}
		for _, g := range r.Goals {
			named := func(p peer) bool { return p.Name == g.of && p.inRow(&r) }
			peers := standardPeers(peer{Name: beanfield, ours: true}, peer{Name: beanstalkd, baseline: true})
			found := g.of == "" && (!g.ratio || r.Own != nil || !r.Alone)
			for _, p := range peers {
				found = found || named(p)
			}
			if !found {
				t.Errorf("%s: nobody is there for the goal %v", r.Name, g)
			}
		}
	}
	for list, n := range map[string]int{"first": 5, "all,plain": len(rows), "persistence,recovery": 20, "awaited": 9,
		"memory,plain": 2,
		"stalls":       25, "plain,none": 0} {
		if got, err := chooseRows(rows, list); len(got) != n || (err == nil) != (n > 0) {
			t.Errorf("%s: %d rows, %v", list, len(got), err)
		}
	}
	for _, bad := range []string{"speed >= 1", "throughput > 1", "throughput >= x", "throughput"} {
		if new(goal).UnmarshalText([]byte(bad)) == nil {
			t.Errorf("goal %q is read", bad)
		}
	}
}

// chosen are rows by their names, changed to be quick.
func chosen(list string, change func(*row)) []row {
	all, err := chooseRows(rows, list)
	if err != nil {
		panic(err)
	}
	for i := range all {
		change(&all[i])
	}
	return all
}

// standIn is a server that is this very program, in the place of another.
func standIn(name, class, command string) peer {
	return peer{Name: name, Class: class, Command: command, ours: name == beanfield, baseline: name == beanstalkd,
		bare: strings.HasPrefix(name, bareLoop)}
}

// Bare loops in the places of all servers, and one that does not start: every round is there, the goals have their
// numbers, each server has written its jobs' records, and nothing is left.
func TestCompare(t *testing.T) {
	const bare = "{self} bare -p {port} -d {dir} -log 1048576"
	c := comparer{
		peers: []peer{standIn(beanfield, always, bare), standIn(beanstalkd, always, bare), standIn(loggedLoop,
			always, bare),
			standIn(beanstalkd, always, "{self} bare -no-such-flag")},
		rows:   chosen("always,always-pipelined,written", func(*row) {}),
		rounds: 2, repeats: 1, scale: 0.002, warmup: 10 * time.Millisecond, duration: 50 * time.Millisecond,
		data: t.TempDir(),
	}
	must.Do(t, c.compare(t.Context()))
	text := c.markdown(t.Context(), "", "")
	tells(t, text, "at most 1.15 x the bare loop with a log |", "| bytes written for each job | at most 190 |",
		layout.Table[1].Head,
		"| beanstalkd | did not start |")
	if strings.Contains(text, "not measured") || c.chart("") == "" {
		t.Errorf("a goal without its number:\n%s", text)
	}
	for _, r := range c.results {
		for _, p := range r.peers {
			if rounds := 2 - r.Rounds%2; p.absent == "" && len(p.rounds) != rounds {
				t.Errorf("%s: %d rounds of %s", r.Name, len(p.rounds), p.Name)
			}
			for _, res := range p.rounds {
				// At the beginning and at the end, a pipeline of each connection may be counted without its bytes.
				jobs := float64(res.Ops) / float64(res.Load.JobOperations())
				if least := 120 * (1 - 2*50*16/jobs); res.Server.OnDisk < 1<<20 ||
					res.Server.WrittenPerOp > 0 && written.of(res) < least {
					t.Errorf("%s, %s: %+v", r.Name, p.Name, res.Server)
				}
			}
		}
	}
	if left, err := os.ReadDir(c.data); err != nil || len(left) != 0 {
		t.Errorf("%d directories of servers were left, %v", len(left), err)
	}
}

// Rows of restarts and of a stall, scaled down, from their start to their tables.
func TestTables(t *testing.T) {
	queue := testserver.Command(t) + " -b {dir}"
	c := comparer{
		peers: []peer{standIn(beanfield, interval, queue), standIn(beanstalkd, interval, queue),
			standIn(beanfield, "", queue), standIn(beanstalkd, "", queue), standIn(beanfield, always, queue)},
		rows: chosen("recovery,start,stall-kick", func(r *row) {
			if r.Load.Kind == load.Restart {
				r.Flags, r.Config = "-config {config}", "shards = 1\n"
			}
		}),
		rounds: 1, scale: 0.0001, duration: 50 * time.Millisecond, data: t.TempDir(),
	}
	must.Do(t, c.compare(t.Context()))
	text := c.markdown(t.Context(), "", "")
	tells(t, text, "\n| 5 million jobs of 100 bytes, restarted | beanfield |", "| at most 3.00 |", layout.Table[2].Head,
		"| beanstalkd | ", "\n| 1 million buried jobs kicked at once | beanstalkd |", layout.Table[3].Head)
	if strings.Contains(text, "ops/s |") || strings.Contains(text, "not measured") ||
		strings.Count(text, "at most 2,000") != 1 {
		t.Errorf("an empty table, or a goal without its number:\n%s", text)
	}
}

// Two builds from their start to the table: every pair is there.
func TestPairs(t *testing.T) {
	c := comparer{
		rounds: 2, pairs: 5, scale: 0.0001, against: true, duration: 30 * time.Millisecond, data: t.TempDir(),
		peers: []peer{standIn(beanfield, "", testserver.Command(t)), standIn(beanfield, "", testserver.Command(t))},
		rows: append(chosen("plain,half,memory,always-put", func(r *row) { r.Class = "" }),
			row{Name: "broken", Load: load.Of(load.Load{}), Flags: "-no-such-flag"}),
	}
	must.Do(t, c.compare(t.Context()))
	for i, want := range []int{5, 5, 2, 2, 0} {
		for _, p := range c.results[i].peers {
			if len(p.rounds) != want {
				t.Errorf("%s: %d measurements, want %d", c.results[i].Name, len(p.rounds), want)
			}
		}
	}
	if rate := c.results[1].peers[1].rounds[0].Load.Rate; rate <= 0 {
		t.Errorf("half: rate %v", rate)
	}
	tells(t, c.builds(), "| plain | throughput ", "| broken | did not start", "; highest MB ")
}

func TestVerdictOfPairs(t *testing.T) {
	repeat := func(values ...float64) (all []float64) {
		for range 8 {
			all = append(all, values...)
		}
		return all
	}
	for name, test := range map[string]struct {
		ops, cpu []float64
		want     string
	}{
		"equal":           {repeat(1), repeat(1), "within 3 %"},
		"better":          {repeat(1.2), repeat(0.8), "within 3 %"},
		"just within":     {repeat(0.98), repeat(1.02), "within 3 %"},
		"slower":          {repeat(0.9), repeat(1.1, 1.101), "worse by 11.1 %"},
		"CPU is certain":  {repeat(0.5, 1.5), repeat(1.05), "worse by 5.0 %"},
		"wild pairs":      {repeat(1, 1, 1, 0.2), repeat(1, 1, 1, 4), "within 3 %"},
		"nothing certain": {repeat(0.5, 1.8, 0.9), repeat(0.5, 2, 1.1), "unsure: more pairs are needed"},
		"nothing":         {nil, nil, "not measured"},
	} {
		r := rowResult{titled("made", ""), make([]peerResult, 2)}
		for i := range test.ops {
			slow := 1 + float64(i%3) // the machine's, and so that of both
			for side, by := range [2][2]float64{{test.ops[i], test.cpu[i%len(test.cpu)]}, {1, 1}} {
				r.peers[side].rounds = append(r.peers[side].rounds, result(1000*by[0]/slow, 5*by[1]*slow, 1))
			}
		}
		if got := r.verdict95(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// The test binary stands in for the program where a server is started as {self}.
func TestMain(m *testing.M) {
	serve := map[string]func(context.Context, []string) error{"bare": floor.Serve, "nats": peers.ServeNATS}
	if len(os.Args) > 1 && serve[os.Args[1]] != nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := serve[os.Args[1]](ctx, os.Args[2:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testserver.Run(m))
}
