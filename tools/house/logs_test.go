package house

import (
	"go/ast"
	"slices"
)

// logging are the methods of slog's loggers, and its attributes, that take keys.
var logging = []string{"Debug", "Info", "Warn", "Error", "Log", "With", "Any", "String"}

func errorMisnamed(h *house, complain complaint) {
	for _, f := range h.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(logging, sel.Sel.Name) {
				return true
			}
			for _, arg := range call.Args {
				if key, ok := arg.(*ast.BasicLit); ok && key.Value == `"err"` {
					complain(`%s: the key of an error is "error"`, f.at(key))
				}
			}
			return true
		})
	}
}
