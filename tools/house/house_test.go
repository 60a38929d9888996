package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// house is all that the rules look at.
type house struct {
	fsys  fs.FS
	files []*file
	pages []*page
}

// file is one Go file.
type file struct {
	path    string // from the top of the house, with slashes
	dir     string
	test    bool
	text    string
	lines   int
	syntax  *ast.File
	place   *token.FileSet
	imports []string
}

// page is one document in Markdown.
type page struct{ path, text string }

// at names a place in the file.
func (f *file) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", f.path, f.place.Position(n.Pos()).Line)
}

// open reads the house. What other people wrote, and what tests keep, is no part
// of it.
func open(fsys fs.FS) (*house, error) {
	h := &house{fsys: fsys}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := d.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata" ||
				base == "node_modules" || base == "vendor") {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go"):
			return h.addFile(name)
		case strings.HasSuffix(name, ".md"):
			text, err := fs.ReadFile(fsys, name)
			h.pages = append(h.pages, &page{name, string(text)})
			return err
		}
		return nil
	})
	return h, err
}

func (h *house) addFile(name string) error {
	text, err := fs.ReadFile(h.fsys, name)
	if err != nil {
		return err
	}
	f := &file{path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), text: string(text),
		lines: bytes.Count(text, []byte("\n")), place: token.NewFileSet()}
	f.syntax, err = parser.ParseFile(f.place, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, spec := range f.syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		f.imports = append(f.imports, imported)
	}
	h.files = append(h.files, f)
	return nil
}

// dirs are the directories that hold packages, in order.
func (h *house) dirs() []string {
	var dirs []string
	for _, f := range h.files {
		dirs = append(dirs, f.dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// rule is one that doc.go states; broken says what is wrong.
type rule struct {
	number string
	broken func(h *house, complain complaint)
}

// complaint takes one, as fmt.Printf does.
type complaint func(format string, args ...any)

// complaints gathers them.
func complaints(broken func(complain complaint)) (all []string) {
	broken(func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) })
	return all
}

var rules = []rule{
	{"H1", wrongWay},
	{"H2", wrongDoor},
	{"H3", impure},
	{"H4", tooLong},
	{"H5", undescribed},
	{"H6", namedForNothing},
	{"H7", strayAtTop},
	{"H8", sleepy},
	{"H9", namingNothing},
	{"H10", errorMisnamed},
	{"H11", neverFuzzed},
	{"H12", unnamed},
	{"H13", tooHeavy},
}

func TestHouse(t *testing.T) {
	h := must.Get(open(os.DirFS("../..")))
	for _, r := range rules {
		t.Run(r.number, func(t *testing.T) {
			r.broken(h, func(format string, args ...any) { t.Errorf(r.number+": "+format, args...) })
		})
	}
	for dir := range floorOf {
		if !slices.Contains(h.dirs(), dir) {
			t.Errorf("there is no package %s: is the walk wrong, or the table of floors old?", dir)
		}
	}
	found := slept(h)
	for name := range sleeps {
		if !found[name] {
			t.Errorf("there is no test %s: take it from the list of those that sleep", name)
		}
	}
}
