package beanstalk

import (
	"maps"
	"slices"
	"testing"
)

// TestTranscripts plays every conversation in one piece, over all kinds of sockets, byte by byte, and over one shard
// and several. Its short form plays a third of that, of each conversation another.
func TestTranscripts(t *testing.T) {
	for i, tr := range readTranscripts(t) {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			all := tr.performances()
			every := min(shortShare(3), len(all))
			for k := i % every; k < len(all); k += every {
				tr.perform(t, all[k])
			}
		})
	}
}

// shortShare is 1, and so many in short forms of tests: they do one of so many things.
func shortShare(of int) int {
	if testing.Short() {
		return of
	}
	return 1
}

// performance is a way to play a transcript: torn at a place, and over so many shards if it is not 0.
type performance struct {
	network     string
	cut, shards int
}

func (tr *transcript) perform(t *testing.T, p performance) {
	if p.shards > 0 {
		tr = &transcript{tr.name, maps.Clone(tr.flags), tr.steps}
		tr.flags["shards"] = p.shards
	}
	tr.play(t, p.network, p.cut)
}

// performances are the ways to play a conversation but those of TestTranscriptsTorn. Where there are rules, none is
// through listeners.
func (tr *transcript) performances() (all []performance) {
	flag := func(name string) bool {
		_, ok := tr.flags[name]
		return ok
	}
	networks := []string{"tcp", "unix", "tls"}
	switch {
	case slices.ContainsFunc(tr.steps, func(s step) bool { return s.kind == '=' }):
		networks = []string{"pair", "sealed"}
	case flag("net"):
		networks = []string{"tcp", "tls"}
	}
	for _, network := range networks {
		all = append(all, performance{network, -1, 0})
	}
	if flag("slow") || flag("net") {
		return all
	}
	if !flag("whole") && tr.sent() < 3000 {
		all = append(all, performance{"pair", -2, 0}, performance{"sealed", -2, 0})
	}
	if !flag("held") && !flag("shards") {
		all = append(all, performance{"pair", -1, 1}, performance{"pair", -1, 13})
	}
	return all
}

// tornSize is the length up to which a transcript is torn at every byte.
const tornSize = 120

// TestTranscriptsTorn tears the shorter ones in two, at every byte, or every fourth (B4: what is kept is a copy).
func TestTranscriptsTorn(t *testing.T) {
	for i, tr := range readTranscripts(t) {
		n := tr.sent()
		_, slow := tr.flags["slow"]
		_, whole := tr.flags["whole"]
		if slow || whole || n > tornSize {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			every := shortShare(4)
			for cut := 1 + i%every; cut < n; cut += every {
				tr.play(t, "pair", cut)
			}
		})
	}
}
