package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// stated is an invariant where a doc.go states it: in a list, or before a colon or a dot.
	stated = regexp.MustCompile(`(?m)^(?:\t([A-Z]{1,2}[1-9][0-9]?) +|(?:# Invariant )?([A-Z]{1,2}[1-9][0-9]?)[:.] )\S`)
	// cited is the name of an invariant, or of a first and a last one.
	cited = regexp.MustCompile(`\b([A-Z]{1,2})([1-9][0-9]?)(?:\s+to\s+([A-Z]{1,2})([1-9][0-9]?))?\b`)
	// complaining is how the text of a panic or of an error cites invariants.
	complaining = regexp.MustCompile("^[\"`](?:[A-Z]{1,2}[1-9][0-9]?(?:, )?)+: ")
)

// namesakes look like the names of invariants.
var namesakes = []string{"P50", "P99"}

// names are the invariants that a text cites.
func names(text string) (all []string) {
	for _, m := range cited.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] == m[1] {
			last, _ = strconv.Atoi(m[4])
		} else if m[3] != "" {
			all = append(all, m[3]+m[4])
		}
		for n := first; n <= last; n++ {
			all = append(all, fmt.Sprint(m[1], n))
		}
	}
	return all
}

// unnamed compares the invariants that are stated with those that are cited (H12).
func unnamed(h *house, complain complaint) {
	homes, held := map[string]string{}, map[string]bool{}
	for _, f := range h.files {
		if path.Base(f.path) != "doc.go" {
			continue
		}
		for _, m := range stated.FindAllStringSubmatch(f.syntax.Doc.Text(), -1) {
			name := m[1] + m[2]
			if home := homes[name]; home != "" {
				complain("%s states %s, as %s does", f.path, name, home)
			}
			homes[name] = f.path
		}
	}
	for _, f := range h.files {
		cites := func(at ast.Node, text string) {
			for _, name := range names(text) {
				if homes[name] == "" && !slices.Contains(namesakes, name) {
					complain("%s cites %s, which no doc.go states", f.at(at), name)
				}
			}
		}
		for _, group := range f.syntax.Comments {
			cites(group, group.Text())
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				cites(n, complaining.FindString(n.Value))
			case *ast.FuncDecl:
				if f.test && (strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Fuzz")) {
					for _, name := range names(n.Doc.Text()) {
						held[name] = true
					}
				}
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(homes)) {
		if !held[name] {
			complain("%s states %s, and no test cites it", homes[name], name)
		}
	}
}
