package house

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// goFile is the name of a Go file, with directories or without; a star stands
	// for several.
	goFile = regexp.MustCompile(`[\w*./-]*[\w*]\.go\b`)
	// inHouse is a path from the top. What follows a dot that ends a sentence is
	// not part of it.
	inHouse = regexp.MustCompile(`(?:^|[^\w/.-])(?:\./)?((?:cmd|conn|router|shard|storage|tools)/[\w/.-]*[\w/])`)
	// link is where a link of a document leads.
	link = regexp.MustCompile(`\]\(([^):#]+)\)`)
)

func namingNothing(h *house, complain complaint) {
	for _, f := range h.files {
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				for _, name := range goFile.FindAllString(c.Text, -1) {
					if !h.exists(name, f.dir, ".") {
						complain("%s names %s, which does not exist", f.at(c), name)
					}
				}
			}
		}
	}
	for _, p := range h.pages {
		h.pointless(p, complain)
		if p.path == guide {
			h.claiming(p, complain)
		}
	}
}

// pointless checks a document. A bare name of a file is one in the directory that
// was named last.
func (h *house) pointless(p *page, complain complaint) {
	home := path.Dir(p.path)
	last := home
	for i, line := range strings.Split(p.text, "\n") {
		missing := func(name string) {
			complain("%s:%d names %s, which does not exist", p.path, i+1, name)
		}
		for _, name := range goFile.FindAllString(line, -1) {
			if dir := path.Dir(name); dir != "." && h.exists(dir, ".") {
				last = dir
			}
			if !h.exists(name, home, ".", last) {
				missing(name)
			}
		}
		for _, m := range inHouse.FindAllStringSubmatch(line, -1) {
			if !h.exists(strings.TrimSuffix(m[1], "/"), ".") {
				missing(m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			if !h.exists(m[1], home) {
				missing(m[1])
			}
		}
	}
}

// claimed is a name that the guide says is declared in a file, which then stands behind it in brackets, or declared or
// used in one.
var claimed = regexp.MustCompile("`([\\w.]+)` (\\(|in )`([\\w./-]+\\.go)`")

// aName is a name that the guide quotes: one with a capital letter, as all that are neither words of the protocol nor
// of the text.
var aName = regexp.MustCompile("`[\\w.]*[A-Z][\\w.]*`")

// claiming checks what the guide says about files and what is declared in them.
func (h *house) claiming(p *page, complain complaint) {
	text := strings.Join(strings.Fields(p.text), " ")
	declared, used := h.names()
	for _, m := range claimed.FindAllStringSubmatch(text, -1) {
		files := map[string]map[string][]string{"(": declared, "in ": used}[m[2]]
		name := m[1][strings.LastIndex(m[1], ".")+1:]
		if !slices.ContainsFunc(files[name], func(file string) bool { return strings.HasSuffix("/"+file, "/"+m[3]) }) {
			complain("%s says that %s is in %s, which it is not", p.path, m[1], m[3])
		}
	}
	for _, quoted := range aName.FindAllString(text, -1) {
		name := strings.Trim(quoted, "`")
		if len(declared[name[strings.LastIndex(name, ".")+1:]]) == 0 {
			complain("%s names %s, which is not declared anywhere", p.path, name)
		}
	}
}

// names are the files that declare a name (of a function, a type, a constant, a variable, a field or a method), and
// those that have it at all.
func (h *house) names() (declared, used map[string][]string) {
	declared, used = map[string][]string{}, map[string][]string{}
	for _, f := range h.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			var names []*ast.Ident
			switch n := n.(type) {
			case *ast.FuncDecl:
				names = []*ast.Ident{n.Name}
			case *ast.TypeSpec:
				names = []*ast.Ident{n.Name}
			case *ast.ValueSpec:
				names = n.Names
			case *ast.Field:
				names = n.Names
			case *ast.Ident:
				used[n.Name] = append(used[n.Name], f.path)
			}
			for _, name := range names {
				declared[name.Name] = append(declared[name.Name], f.path)
			}
			return true
		})
	}
	return declared, used
}

// exists says whether a name, which may have stars, is found in one of the
// directories.
func (h *house) exists(name string, dirs ...string) bool {
	for _, dir := range dirs {
		if found, err := fs.Glob(h.fsys, path.Join(dir, name)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}
