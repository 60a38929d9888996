package house

import (
	"go/ast"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// thorough is a line of the Makefile that runs the long forms of a package's tests. Lines
// with -fuzz or -bench name no tests in such a list.
var thorough = regexp.MustCompile(`(?m)^\t.* test .*\./(\S+) -run '\^\(([^)]*)\)\$\$'$`)

// neverThorough compares the tests that have a shorter form with those of make thorough.
func neverThorough(h *house, complain complaint) {
	makefile, err := fs.ReadFile(h.fsys, "Makefile")
	if err != nil {
		complain("%v", err)
		return
	}
	listed := map[string][]string{}
	for _, line := range thorough.FindAllStringSubmatch(string(makefile), -1) {
		listed[line[1]] = strings.Split(line[2], "|")
	}
	for _, dir := range h.dirs() {
		short := h.shortened(dir)
		for _, name := range listed[dir] {
			if _, ok := short[name]; !ok {
				complain("make thorough runs %s of %s, which has no shorter form", name, dir)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(short)) {
			if !slices.Contains(listed[dir], name) {
				complain("%s: %s has a shorter form, and make thorough does not run the other", short[name], name)
			}
		}
		delete(listed, dir)
	}
	for dir := range listed {
		complain("make thorough tests %s, which is no package", dir)
	}
}

// shortened are the tests of a package that ask testing.Short, by themselves or by a
// function of theirs, and where they stand.
func (h *house) shortened(dir string) map[string]string {
	calls, places := map[string][]string{}, map[string]string{}
	for _, f := range h.files {
		if f.dir != dir || !f.test {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				name = "." + name
			}
			calls[name], places[name] = append(calls[name], called(fn)...), f.at(fn)
		}
	}
	asks := map[string]bool{"testing.Short": true}
	for grown := true; grown; {
		grown = false
		for name, called := range calls {
			if !asks[name] && slices.ContainsFunc(called, func(c string) bool { return asks[c] }) {
				asks[name], grown = true, true
			}
		}
	}
	short := map[string]string{}
	for name := range asks {
		if strings.HasPrefix(name, "Test") && name != "TestMain" && places[name] != "" {
			short[name] = places[name]
		}
	}
	return short
}

// called are the names of functions that one uses; those of methods begin with a point.
func called(fn *ast.FuncDecl) (names []string) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
			if from, ok := n.X.(*ast.Ident); ok && from.Name == "testing" {
				names = append(names, "testing."+n.Sel.Name)
			} else {
				names = append(names, "."+n.Sel.Name)
			}
		case *ast.Ident:
			if !selected[n] {
				names = append(names, n.Name)
			}
		}
		return true
	})
	return names
}
