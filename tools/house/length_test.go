package house

import (
	"go/ast"
	"strings"
)

// The lengths of H4, in lines.
const (
	maxFile     = 400
	maxFunction = 60
	maxReadme   = 300 // of README.md at the top
)

func tooLong(h *house, complain complaint) {
	for _, p := range h.pages {
		if n := strings.Count(p.text, "\n"); p.path == "README.md" && n > maxReadme {
			complain("%s has %d lines, at most %d are wanted", p.path, n, maxReadme)
		}
	}
	for _, f := range h.files {
		if f.lines > maxFile {
			complain("%s has %d lines, at most %d are wanted", f.path, f.lines, maxFile)
		}
		name := "a function"
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.FuncLit:
				name = "a function literal"
			default:
				return true
			}
			lines := f.place.Position(n.End()).Line - f.place.Position(n.Pos()).Line + 1
			if lines <= maxFunction {
				return false // nothing in it is longer
			}
			complain("%s: %s has %d lines, at most %d are wanted", f.at(n), name, lines, maxFunction)
			return false
		})
	}
}
