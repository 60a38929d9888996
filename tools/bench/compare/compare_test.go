package compare

import (
	"strings"
	"testing"
	"time"

	"beanfield/tools/bench/machine"
	"beanfield/tools/bench/result"
)

// round is a result with made-up numbers.
func round(ops, cpu, p99 float64) *result.Result {
	return &result.Result{
		OpsPerSec: ops, Latency: map[string]result.Latency{"all": {P50: p99 / 2, P99: p99, P999: 2 * p99}},
		Server: result.ServerUse{CPU: 1, CPUPerOp: cpu, RSS: 3 << 20},
	}
}

// made is a comparison with two rounds of made-up numbers.
func made() *comparison {
	loud := func(r *result.Result) *result.Result {
		r.OthersCPU = 0.5
		return r
	}
	peerOf := func(name string, rounds ...*result.Result) peerResult {
		return peerResult{Name: name, Rounds: rounds, peer: peer{
			Name: name, baseline: name == nameBeanstalkd, bare: name == nameBare, Class: classMemory,
		}}
	}
	goals := []goal{atLeast(metricThroughput, 2), atMost(metricCPU, 0.6), atMost(metricP99, 1)}
	return &comparison{
		Date: "2001-02-03", Command: "bench compare", Rounds: 2, Seconds: 2,
		Machine: machine.Machine{CPU: `A <fast> & "big" one`, Cores: 64},
		Peers: []peer{{Name: nameBeanfield, Class: classMemory, Command: "/opt/bin/beanfield -p {port}",
			Version: "beanfield 1"}},
		Rows: []rowResult{
			{
				Title: "reached & <more>", row: row{goals: goals}, Peers: []peerResult{
					peerOf(nameBeanfield, round(300, 3, 10), round(500, 4, 30)),
					peerOf(nameBeanstalkd, round(100, 10, 20), round(200, 10, 20)),
				},
			},
			{
				Title: "not reached", row: row{goals: goals}, Peers: []peerResult{
					peerOf(nameBeanfield, round(150, 9, 10), round(150, 9, 10)),
					peerOf(nameBeanstalkd, round(100, 10, 20), round(100, 10, 20)),
					peerOf(nameBare, round(200, 6, 10), round(200, 6, 10)),
				},
			},
			{
				Title: "at the floor", row: row{goals: goals[:1]}, Peers: []peerResult{
					peerOf(nameBeanfield, round(150, 9, 10)),
					peerOf(nameBeanstalkd, round(100, 10, 20)),
					peerOf(nameBare, round(160, 8, 10)),
				},
			},
			{
				Title: "disturbed", row: row{goals: goals[:1]}, Peers: []peerResult{
					peerOf(nameBeanfield, loud(round(300, 3, 10))),
					peerOf(nameBeanstalkd, loud(round(100, 10, 20))),
				},
			},
			{
				Title: "absent", row: row{goals: goals}, Peers: []peerResult{
					{Name: nameBeanfield, Absent: "it does not know this yet"},
					peerOf(nameBeanstalkd, round(100, 10, 20)),
				},
			},
			{
				Title: "memory", row: row{goals: []goal{{metric: metricBytes, bound: 50, absolute: true}}},
				Peers: []peerResult{peerOf(nameBeanfield,
					loud(&result.Result{Server: result.ServerUse{BytesEach: 42}}))},
			},
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

func TestMarkdownTellsWhatWasReached(t *testing.T) {
	tells(t, made().markdown(),
		"| reached & <more> | throughput | at least 2.00 x | 2.75 (2.50–3.00) | yes |",
		"| reached & <more> | server CPU per operation | at most 0.600 x | 0.350 (0.300–0.400) | yes |",
		"| reached & <more> | p99 | at most 1.00 x | 1.00 (0.500–1.50) | yes |",
		"| not reached | throughput | at least 2.00 x | 1.50 | missed |",
		"| not reached | server CPU per operation | at most 0.600 x | 0.900 | missed |",
		"| at the floor | throughput | at least 2.00 x | 1.50 | missed (at the floor: 1.12 x the CPU of the bare loop) |",
		"| disturbed | throughput | at least 2.00 x | 3.00 | unsure: others used the machine |",
		"| absent | throughput | at least 2.00 x | – | not measured |",
		"| absent | beanfield | did not start |",
		"| memory | bytes each | at most 50.0 | 42.0 | yes |",
		"2001-02-03", "64 cores", "`bench compare`", "beanfield 1",
	)
}

// The floor is about the processor, so a row that waits for a disk is never at it.
func TestAlwaysIsNeverAtTheFloor(t *testing.T) {
	c := made()
	c.Rows[2].row.class = classAlways
	tells(t, c.markdown(), "| at the floor | throughput | at least 2.00 x | 1.50 | missed |")
}

// The bare loop stands beside cycles with goals, and with a log beside durable cycles and puts. Another server like
// beanstalkd stands where each answer is awaited.
func TestWhereTheFloorsStand(t *testing.T) {
	others := append(standardPeers("f", "d")[6:], forkPeers("x")...)
	const durable = "always always-unpinned always-puts always-puts-unpinned " +
		"always-one-core always-one always-one-core-puts always-one-puts"
	for i, want := range []string{
		"unpinned plain plain-epoll pipelined single watch half",
		durable + " always-pipelined written written-singly",
		"single",
		durable,
	} {
		var in []string
		for k := range rows {
			if others[i].inRow(&rows[k]) {
				in = append(in, rows[k].name)
			}
		}
		if got := strings.Join(in, " "); got != want || others[i].bare != (i < 2) {
			t.Errorf("%+v is in %s, want %s", others[i], got, want)
		}
	}
}

func TestMarkdownTablesAreEven(t *testing.T) {
	columns := 0
	for line := range strings.Lines(made().markdown()) {
		n := strings.Count(line, "|")
		if n == 0 {
			columns = 0
			continue
		}
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("%d bars instead of %d: %s", n, columns, line)
		}
	}
}

func TestRowsCanRun(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.name] || r.name == "all" || r.name == firstSet {
			t.Errorf("row name %q is taken", r.name)
		}
		seen[r.name] = true
		ld := timed(r.load, time.Second, time.Second, 1)
		if err := ld.Check(); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		if r.own != nil {
			own := timed(*r.own, time.Second, time.Second, 1)
			if err := own.Check(); err != nil {
				t.Errorf("%s, its reference: %v", r.name, err)
			}
		}
		for _, p := range standardPeers("a", "b") {
			if p.inRow(&r) && p.Name == nameBeanfield {
				seen["peer of "+r.name] = true
			}
		}
		if !seen["peer of "+r.name] {
			t.Errorf("%s: beanfield takes no part", r.name)
		}
	}
}

func TestChooseRows(t *testing.T) {
	first, err := chooseRows(firstSet)
	if err != nil || len(first) != 5 {
		t.Errorf("first: %d rows, %v", len(first), err)
	}
	all, err := chooseRows("all,plain")
	if err != nil || len(all) != len(rows) {
		t.Errorf("all: %d rows, %v", len(all), err)
	}
	life, err := chooseRows("persistence,recovery")
	if err != nil || len(life) != 20 || life[0].name != "always" {
		t.Errorf("persistence: %d rows, %v", len(life), err)
	}
	for _, r := range rows {
		if onDisk := r.class == classAlways || r.class == classInterval; r.set != stallSet && r.set != pushSet &&
			onDisk != (r.set == lifeSet) {
			t.Errorf("%s: class %q in the set %q", r.name, r.class, r.set)
		}
	}
	two, err := chooseRows("memory,plain")
	if err != nil || len(two) != 2 || two[0].name != "memory" {
		t.Errorf("two: %v", err)
	}
	if _, err := chooseRows("plain,none"); err == nil {
		t.Error("a row that does not exist was chosen")
	}
}

func TestPeersAreRead(t *testing.T) {
	p, err := parsePeer("rival@always=/opt/rival -p {port} -x a=b")
	if err != nil || p.Name != "rival" || p.Class != classAlways || p.Command != "/opt/rival -p {port} -x a=b" {
		t.Errorf("%+v %v", p, err)
	}
	if p, err = parsePeer("rival=x"); err != nil || p.Class != classMemory {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range []string{"", "x", "=x", "x=", "x@y=z"} {
		if _, err := parsePeer(bad); err == nil {
			t.Errorf("peer %q passed", bad)
		}
	}
}

func TestRatiosAreOfTheSameRound(t *testing.T) {
	// The machine was twice as slow in the second round; the ratio is 2 in both.
	if s := result.SpreadOf(ratios([]float64{200, 100}, []float64{100, 50})); s.Min != 2 || s.Max != 2 {
		t.Errorf("%+v", s)
	}
	if s := result.SpreadOf(ratios([]float64{1, 6}, []float64{0, 3})); s.Median != 2 || s.Min != 2 {
		t.Errorf("a round without a reference counts: %+v", s)
	}
	if got := len(ratios([]float64{1, 2, 3}, []float64{1})); got != 1 {
		t.Errorf("%d ratios of one pair", got)
	}
}
