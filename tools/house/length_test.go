package house

import (
	"fmt"
	"go/ast"
)

// The lengths of H4, in lines.
const (
	maxFile     = 400
	maxFunction = 60
)

func tooLong(h *house) (complaints []string) {
	for _, f := range h.files {
		if f.lines > maxFile {
			complaints = append(complaints, fmt.Sprintf("H4: %s has %d lines, at most %d are wanted", f.path, f.lines, maxFile))
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
			complaints = append(complaints, fmt.Sprintf("H4: %s: %s has %d lines, at most %d are wanted", f.at(n), name, lines, maxFunction))
			return false
		})
	}
	return complaints
}
