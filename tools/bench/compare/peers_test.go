//go:build linux

package compare

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/peers"
)

// beside is a comparison of NATS, in the place of beanfield, with a peer that has no pushes.
func beside(t *testing.T, kept string) *comparer {
	all := slices.DeleteFunc(allPeers("", ""), func(p peer) bool {
		return p.Name != "NATS JetStream" && p.Name != "Redis lists"
	})
	for i := range all {
		all[i].ours = all[i].Name == "NATS JetStream"
		all[i].baseline = all[i].ours
	}
	return &comparer{
		peers: all, rows: must.Get(chooseRows(peerRows, "memory-push")), rounds: 2, scale: 1, within: time.Minute,
		duration: 50 * time.Millisecond, data: t.TempDir(), kept: must.Get(keepIn(kept)),
	}
}

// A row beside other queue servers, from its start to its table and chart: who is left out is named. A second run takes
// all from the file of the first.
func TestBeside(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept")
	first := beside(t, kept)
	err := first.compare(t.Context())
	for errors.Is(err, load.ErrNothing) { // others had the processors
		first.duration *= 2
		err = first.compare(t.Context())
	}
	must.Do(t, err)
	text := first.markdown(t.Context(), "", "")
	tells(t, text, "| Redis lists | left out |", "in memory): it does not push", "× beanfield", "nats-server 2",
		"| NATS JetStream | ")
	if strings.Contains(text, "## Goals") || strings.Contains(text, "## All measurements") {
		t.Errorf("a table without rows:\n%s", text)
	}
	again := beside(t, kept)
	again.duration = first.duration
	again.data = "no-such-directory" // where no server starts
	must.Do(t, again.compare(t.Context()))
	if got := again.markdown(t.Context(), "", ""); got != text {
		t.Errorf("the file has\n%s\nand not\n%s", got, text)
	}
	again.scale = 2
	if again.compare(t.Context()) == nil {
		t.Error("measurements of another size are taken from the file")
	}
}

// Every row beside other servers is in a table, has a metric to be drawn by, and a load that package peers knows.
func TestPeerRows(t *testing.T) {
	for i := range peerRows {
		r := peerRows[i].scaled(0.5)
		known := slices.Contains([]string{load.Cycle, load.Restart, peers.Push, peers.Delayed}, r.Load.Kind)
		shown := slices.ContainsFunc(layout.Table, func(t table) bool { return r.in(t.Rows) })
		if !known || !shown || len(r.shown()) == 0 || r.Set != "peers" || strings.Contains(r.Title, "{") {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
	text := chartOf(t)
	tells(t, text, "Throughput, beanfield = 1", "fast · beanfield 100 ops/s", ">beanstalkd<", "× 0.500")
}

func chartOf(t *testing.T) string {
	t.Helper()
	r := titled("fast", "")
	r.Set = "peers"
	ours := of(beanfield, result(100, 1, 1))
	ours.baseline = true
	theirs := of(beanstalkd, result(50, 1, 1))
	theirs.baseline = false
	return (&comparer{rounds: 1, results: []rowResult{{r, []peerResult{ours, theirs}}}}).chart("")
}
