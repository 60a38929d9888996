package house

import (
	"io/fs"
	"path"
	"regexp"
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
