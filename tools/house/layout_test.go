package house

import (
	"go/ast"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// vague are names that say nothing of what a package is about (H6).
var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "lib"}

// guide is the page for those who change the source.
const guide = "tools/GUIDE.md"

// topLevel is what stands at the top (H7), and why.
var topLevel = map[string]string{
	".git":                "the history: a directory, or a file in a second working tree",
	".gitignore":          "what is built, and not kept",
	".ci":                 "what must pass before a change lands",
	"Makefile":            "what can be done here",
	"README.md":           "where a newcomer starts",
	"beanfield":           "the program, as make build leaves it; not kept",
	"cmd":                 "the process",
	"config.example.toml": "every setting; a test holds it to the code",
	"conn":                "connections",
	"dist":                "a release, as make dist leaves it; not kept",
	"go.mod":              "the module",
	"go.sum":              "its dependencies",
	"router":              "which shard",
	"shard":               "the queue, and who runs it",
	"storage":             "what a shard logs",
	"tools":               "programs for those who develop or ship it",
}

// sleeps are the tests that may sleep (H8) although they do not name the false
// clock: by function, with the reason.
var sleeps = map[string]string{
	"awaitRoom":                           "Pebble removes files in the background, and tells nobody when it has",
	"TestServerThatDoesNotEnd":            "asks again and again whether a shell runs, which tells nobody",
	"TestOpenLoopCountsWhatAStallDelayed": "the sleep is the stall that is measured",
	"stop": "the time passes for a process that is stopped, which no false clock can " +
		"be given to",
	"stalledBy": "the sleep is the stall that is measured",
}

// slept are the functions of sleeps that are there.
func slept(h *house) map[string]bool {
	found := map[string]bool{}
	for _, f := range h.files {
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && f.test && sleeps[fn.Name.Name] != "" {
				found[fn.Name.Name] = true
			}
		}
	}
	return found
}

func undescribed(h *house, complain complaint) {
	described := map[string]bool{}
	for _, f := range h.files {
		if f.syntax.Doc == nil {
			continue
		}
		if path.Base(f.path) == "doc.go" {
			described[f.dir] = true
		} else {
			complain("%s: a package comment stands in doc.go", f.at(f.syntax.Doc))
		}
	}
	for _, dir := range h.dirs() {
		if !described[dir] {
			complain("package %s has no doc.go with a package comment", dir)
		}
		for _, p := range h.pages {
			if p.path == guide && !within(dir, append(kits, "tools")...) && !strings.Contains(p.text, "\n    "+dir+
				" ") {
				complain("package %s has no line on the map in %s", dir, guide)
			}
		}
	}
}

func namedForNothing(h *house, complain complaint) {
	for _, dir := range h.dirs() {
		if slices.Contains(vague, path.Base(dir)) {
			complain("package %s: the name says nothing of what it is about", dir)
		}
	}
}

func strayAtTop(h *house, complain complaint) {
	entries, err := fs.ReadDir(h.fsys, ".")
	if err != nil {
		complain("%v", err)
		return
	}
	for _, e := range entries {
		if _, ok := topLevel[e.Name()]; !ok {
			complain("%s at the top: it needs a reason, in topLevel", e.Name())
		}
	}
}

func sleepy(h *house, complain complaint) {
	for _, f := range h.files {
		if !f.test || slices.Contains(f.imports, "testing/synctest") {
			continue
		}
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && sleeps[fn.Name.Name] != "" {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
					if from, ok := sel.X.(*ast.Ident); ok && from.Name == "time" {
						complain("%s: a test that sleeps: wait for what must happen", f.at(n))
					}
				}
				return true
			})
		}
	}
}
