package house

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// weight is how many identifiers a room has, and its tests. Neither long lines nor short names change that.
type weight struct{ code, tests int }

// budgets are the most that a room, with all below it that is not listed, may weigh. To raise one is a decision: the
// commit says what for, and why nothing could go instead. Whoever makes a room lighter lowers it.
var budgets = map[string]weight{}

// slack is by how many percent a budget may be above what there is.
const slack = 5

func tooHeavy(h *house, complain complaint) {
	found := map[string]weight{}
	for _, f := range h.files {
		room := ""
		for dir := range budgets {
			if len(dir) > len(room) && (f.dir == dir || strings.HasPrefix(f.dir, dir+"/")) {
				room = dir
			}
		}
		if room == "" {
			complain("%s is in no room that has a budget in weight_test.go", f.path)
			continue
		}
		w := found[room]
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if _, ok := n.(*ast.Ident); !ok {
				return true
			}
			if f.test {
				w.tests++
			} else {
				w.code++
			}
			return true
		})
		found[room] = w
	}
	for _, room := range slices.Sorted(maps.Keys(budgets)) {
		weigh(complain, room, "", found[room].code, budgets[room].code)
		weigh(complain, room, "the tests of ", found[room].tests, budgets[room].tests)
	}
}

func weigh(complain complaint, room, what string, n, budget int) {
	switch {
	case n > budget:
		complain("%s%s have %d identifiers, %d are allowed: take something away, or raise the budget in weight_test.go, and say why", what, room, n, budget)
	case budget > n+n*slack/100+1:
		complain("%s%s have %d identifiers, and a budget of %d: lower it", what, room, n, budget)
	}
}
