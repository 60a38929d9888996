package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"
)

// thorough runs the long forms of tests, all of them or those below some directories. A namesake in another one of
// these packages runs too.
func thorough(dirs []string) error {
	found, err := longTests(os.DirFS("."))
	if err != nil {
		return err
	}
	maps.DeleteFunc(found, func(pkg string, _ []string) bool {
		below := func(dir string) bool { return strings.HasPrefix(pkg+"/", path.Clean(dir)+"/") }
		return len(dirs) > 0 && !slices.ContainsFunc(dirs, below)
	})
	var tests, packages []string
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		tests = append(tests, found[pkg]...)
		packages = append(packages, "./"+pkg)
	}
	if len(packages) == 0 {
		return fmt.Errorf("no test below %v has a longer form", dirs)
	}
	p := newProgress(os.Stdout, len(packages))
	args := []string{"-p", fmt.Sprint(2 * runtime.NumCPU()), "-timeout", "60m", "-run", "^(" + strings.Join(tests, "|") + ")$"}
	if err := p.run(append(args, packages...)...); err != nil {
		return fmt.Errorf("%w: %w", err, p.err())
	}
	took := time.Since(p.begun).Seconds()
	fmt.Printf("%d tests of %d packages passed in their long forms in %.0f s%s\n", len(tests), len(packages), took,
		p.counted())
	return nil
}

// longTests finds the tests of each package that ask testing.Short, by themselves or by a function of its tests.
func longTests(tree fs.FS) (map[string][]string, error) {
	calls := map[string]map[string][]string{} // by package and function: what it calls
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && (base[0] == '.' || base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(base, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if calls[dir] == nil {
			calls[dir] = map[string][]string{}
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				calls[dir][nameOf(fn)] = append(calls[dir][nameOf(fn)], called(fn)...)
			}
		}
		return nil
	})
	found := map[string][]string{}
	for dir, of := range calls {
		if tests := askShort(of); len(tests) > 0 {
			found[dir] = tests
		}
	}
	return found, err
}

// askShort are the tests among functions of which it is known what each calls.
func askShort(calls map[string][]string) (tests []string) {
	asks := map[string]bool{"testing.Short": true, "effort.Brief": true, "effort.Courses": true}
	for grown := true; grown; {
		grown = false
		for name, of := range calls {
			if !asks[name] && slices.ContainsFunc(of, func(c string) bool { return asks[c] }) {
				asks[name], grown = true, true
			}
		}
	}
	for name := range asks {
		if strings.HasPrefix(name, "Test") && name != "TestMain" {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}

// nameOf is a function's name; that of a method begins with a point.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv != nil {
		return "." + fn.Name.Name
	}
	return fn.Name.Name
}

// called are the names of all that a function uses, as nameOf has them.
func called(fn *ast.FuncDecl) (names []string) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
			if from, ok := n.X.(*ast.Ident); ok && (from.Name == "testing" || from.Name == "effort") {
				names = append(names, from.Name+"."+n.Sel.Name)
			} else {
				names = append(names, "."+n.Sel.Name)
			}
		case *ast.Ident:
			if !selected[n] && n != fn.Name {
				names = append(names, n.Name)
			}
		}
		return true
	})
	return names
}
