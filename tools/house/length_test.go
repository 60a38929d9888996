package house

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

// The lengths of H4, in lines, and of a line, in columns.
const (
	maxFile     = 400
	maxFunction = 60
	maxReadme   = 220 // of README.md at the top
	maxLine     = 120 // without the strings in it
	tab         = 4
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
		f.wide(complain)
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

// wide complains about lines that are too long, what strings they have not counted.
func (f *file) wide(complain complaint) {
	width := make([]int, f.lines+2)
	count := func(line int, text string, times int) {
		for l := range strings.SplitSeq(text, "\n") {
			width[line] += times * (utf8.RuneCountInString(l) + (tab-1)*strings.Count(l, "\t"))
			line++
		}
	}
	count(1, f.text, 1)
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			count(f.place.Position(s.Pos()).Line, s.Value, -1)
		}
		return true
	})
	for line, n := range width {
		if n > maxLine {
			complain("%s:%d: %d columns, at most %d are wanted", f.path, line, n, maxLine)
		}
	}
}
