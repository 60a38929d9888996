package compare

import (
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// Two servers from their start to the table: every pair is there, and both stay the same
// servers for all pairs of a round.
func TestDuel(t *testing.T) {
	c := &comparer{
		rounds: 2, pairs: 5, scale: 1, duration: 30 * time.Millisecond, seed: 1, data: t.TempDir(),
		rows: []row{
			{name: "plain", load: base(func(ld *load.Load) { ld.Connections, ld.Backlog = 3, 20 })},
			{name: "half", load: base(func(ld *load.Load) { ld.Connections = 3 }), half: true},
			{name: "memory", load: base(func(ld *load.Load) { ld.Kind, ld.Backlog = load.KindMemory, 100 })},
			{name: "whole", load: base(func(ld *load.Load) {
				ld.Kind, ld.MaxJobs, ld.Whole = load.KindPut, 1000, true
			})},
			{name: "broken", load: base(nil), flags: "-no-such-flag"},
		},
	}
	d := newDuel(c, "{self} queue", "{self} queue")
	must.Do(t, d.run(t.Context()))
	for i, want := range []int{5, 5, 2, 2, 0} {
		r := &d.rows[i]
		for side := range r.sides {
			if len(r.sides[side]) != want {
				t.Errorf("%s, side %d: %d measurements, want %d", r.row.name, side, len(r.sides[side]), want)
			}
		}
		if (r.absent != "") != (want == 0) {
			t.Errorf("%s: %s", r.row.name, r.absent)
		}
	}
	for _, res := range append(d.rows[3].sides[0], d.rows[3].sides[1]...) {
		if res.Ops < 1000-50 || res.Ops > 1000+50 {
			t.Errorf("whole: %d jobs", res.Ops)
		}
	}
	for _, res := range append(d.rows[1].sides[0], d.rows[1].sides[1]...) {
		if rate := d.rows[1].sides[0][0].Load.Rate; rate <= 0 || res.Load.Rate <= 0 {
			t.Errorf("half: rate %v, then %v", rate, res.Load.Rate)
		}
	}
	if text := d.markdown(); !strings.Contains(text, "| plain | throughput ") ||
		!strings.Contains(text, "| broken | did not start") || !strings.Contains(text, "; highest MB ") {
		t.Error(text)
	}
}

// pairsOf makes results whose new side has so many times the throughput of the base, and
// the CPU.
func pairsOf(ops, cpu []float64) *duelRow {
	r := &duelRow{row: row{name: "made", load: base(nil)}}
	for i := range ops {
		slow := 1 + float64(i%3) // the machine's, and so that of both
		side := func(ops, cpu float64) *result.Result {
			return &result.Result{OpsPerSec: 1000 * ops / slow, Server: result.ServerUse{CPUPerOp: 5 * cpu * slow}}
		}
		r.add([2]*result.Result{side(ops[i], cpu[i%len(cpu)]), side(1, 1)})
	}
	return r
}

func TestDuelsVerdict(t *testing.T) {
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
	} {
		if got := pairsOf(test.ops, test.cpu).verdict(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	if got := (&duelRow{row: row{load: base(nil)}}).verdict(); got != "not measured" {
		t.Error(got)
	}
}
