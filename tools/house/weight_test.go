package house

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"beanfield/storage/must"
)

// weight is how many identifiers a room has, and its tests. Neither long lines nor short names change that.
type weight struct{ code, tests int }

// budgets are the most that a room may weigh, with all below it that has no budget of its own. To raise one is a
// decision: the commit says what for, and why nothing could go instead. Whoever makes a room lighter lowers it.
var budgets = map[string]weight{
	"cmd/beanfield":           {7908, 9867},
	"cmd/beanfield/config":    {9334, 3950},
	"cmd/beanfield/listeners": {1500, 1500},
	"cmd/beanfield/node":      {1185, 600},
	"cmd/beanfield/command":   {12933, 4965},
	"cmd/beanfield/binlog":    {2792, 4090},
	"cmd/beanfield/datadir":   {1744, 3190},
	"conn":                    {9434, 7481}, // a second poller, for macOS and FreeBSD: 600
	"conn/admin":              {11992, 6450},
	"conn/beanstalk":          {18681, 17360},
	"conn/client":             {5600, 6450},
	"conn/forward":            {4702, 3965},
	"conn/queueservice":       {7669, 8050},
	"router":                  {9960, 23975},
	"shard":                   {1400, 4500},
	"shard/queue":             {34270, 24200},
	"shard/queue/naive":       {7100, 0},
	"storage":                 {4285, 4800},
	"storage/cluster":         {18000, 14970},
	"storage/cluster/members": {945, 930},
	"storage/jetstream":       {6275, 4550},
	"storage/lanes":           {1880, 7850},
	"storage/locallog":        {4090, 4260},
	"storage/pebblestore":     {23060, 22440},
	"tools":                   {7550, 8550},
	"tools/bench":             {19835, 5600},
	"tools/clients":           {2700, 0},
	"tools/compat":            {6520, 2420},
	"tools/crash":             {5325, 1050},
	"tools/faults":            {7735, 1520},
}

// slack is how much more a budget may be than what there is.
const slack = 500

func tooHeavy(h *house, complain complaint) { overweight(h, budgets, complain) }

func overweight(h *house, budgets map[string]weight, complain complaint) {
	found := map[string]weight{}
	for _, f := range h.files {
		room := f.dir
		for ; room != "."; room = path.Dir(room) {
			if _, ok := budgets[room]; ok {
				break
			}
		}
		w := found[room]
		n := &w.code
		if f.test {
			n = &w.tests
		}
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			if _, ok := node.(*ast.Ident); ok {
				*n++
			}
			return true
		})
		found[room] = w
	}
	for _, room := range slices.Sorted(maps.Keys(found)) {
		for _, k := range []struct {
			what      string
			n, budget int
		}{{room, found[room].code, budgets[room].code}, {"tests of " + room, found[room].tests, budgets[room].tests}} {
			switch {
			case k.n > k.budget:
				complain("%s: %d identifiers, and a budget of %d: take something away, or raise it and say why", k.what,
					k.n, k.budget)
			case k.budget > k.n+slack:
				complain("%s: %d identifiers, and a budget of %d: lower it", k.what, k.n, k.budget)
			}
		}
	}
}

// H13: what is too heavy is noticed, and a budget that is too large; a room without one belongs to the room above it.
func TestWeight(t *testing.T) {
	h := must.Get(open(fstest.MapFS{
		"shard/a.go":       {Data: []byte("package shard\n\nvar a, b int\n")},
		"shard/a_test.go":  {Data: []byte("package shard\n")},
		"shard/queue/a.go": {Data: []byte("package queue\n")},
	}))
	for _, c := range []struct {
		budgets map[string]weight
		want    string
	}{
		{map[string]weight{"shard": {5, 1}}, ""},
		{map[string]weight{"shard": {4, 1}}, "shard: 5 identifiers"},
		{map[string]weight{"shard": {5, 0}}, "tests of shard: 1 identifiers"},
		{map[string]weight{"shard": {4, 1}, "shard/queue": {34200, 25300}}, "shard/queue: 1 identifiers"},
		{map[string]weight{"shard": {6 + slack, 1}}, "shard: 5 identifiers"},
		{map[string]weight{"shard/queue": {34200, 25300}}, ".: 4 identifiers"},
	} {
		got := strings.Join(complaints(func(complain complaint) { overweight(h, c.budgets, complain) }), "\n")
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q, want %q", c.budgets, got, c.want)
		}
	}
}
