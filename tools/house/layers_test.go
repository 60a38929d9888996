package house

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// room is a package whose files have layers (H13).
type room struct {
	dir    string
	layers []layer // from the lowest up; files that none of them names are above all
	// up has the references that may go up, each with its reason: the file, or * for all of
	// them; a blank; and the name, which for a method is Type.name, or a file of a higher layer,
	// all of which may be referred to.
	up map[string]string
}

// layer is files, as path.Match knows them.
type layer struct {
	name  string
	files []string
}

func climbing(h *house, complain complaint) {
	files, err := exports(h)
	if err != nil {
		complain("%v", err)
		return
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(files[name]) }
	for i := range rooms {
		rooms[i].climbing(h, open, complain)
	}
}

// climbing lists the references to something that a file of a higher layer declares: a
// function, a type, a variable, a field or a method. What it does not see is a method that is
// called through an interface of a lower layer: that is what such interfaces are for. Tests
// may look everywhere.
func (r *room) climbing(h *house, exported importer.Lookup, complain complaint) {
	uses, place, err := r.uses(h, exported)
	if err != nil {
		complain("%s: %v", r.dir, err)
		return
	}
	placed, used := map[string]bool{}, map[string]bool{}
	file := func(pos token.Pos) string { return path.Base(place.Position(pos).Filename) }
	for _, id := range slices.SortedFunc(maps.Keys(uses), func(a, b *ast.Ident) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
		from, to := file(id.Pos()), file(uses[id].Pos())
		low, high := r.layerOf(from), r.layerOf(to)
		if low >= high {
			continue
		}
		key, allowed := from+" "+fullName(uses[id]), false
		for _, k := range []string{key, "* " + fullName(uses[id]), "* " + to} {
			used[k] = true
			allowed = allowed || r.up[k] != ""
		}
		if !allowed && !placed[key] {
			placed[key] = true
			complain("%s:%d refers to %s, of %s: %s stands above %s", path.Join(r.dir, from), place.Position(id.Pos()).Line, fullName(uses[id]), to, r.name(high), r.name(low))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.up)) {
		if !used[key] {
			complain("%s: %s is allowed, and not there", r.dir, key)
		}
	}
	for _, l := range r.layers {
		for _, pattern := range l.files {
			if !h.exists(pattern, r.dir) {
				complain("%s: layer %s: there is no %s", r.dir, l.name, pattern)
			}
		}
	}
}

func (r *room) layerOf(file string) int {
	i := slices.IndexFunc(r.layers, func(l layer) bool {
		return slices.ContainsFunc(l.files, func(pattern string) bool { ok, _ := path.Match(pattern, file); return ok })
	})
	if i < 0 {
		return len(r.layers)
	}
	return i
}

func (r *room) name(layer int) string {
	if layer == len(r.layers) {
		return "what has no layer"
	}
	return r.layers[layer].name
}

// fullName is what an object is called from outside: a method has its type before it.
func fullName(o types.Object) string {
	if fn, ok := o.(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				return named.Obj().Name() + "." + o.Name()
			}
		}
	}
	return o.Name()
}

// uses are the room's references to what it declares itself.
func (r *room) uses(h *house, exported importer.Lookup) (map[*ast.Ident]types.Object, *token.FileSet, error) {
	place, files := token.NewFileSet(), []*ast.File(nil)
	for _, f := range h.files {
		if f.dir != r.dir || f.test {
			continue
		}
		text, err := fs.ReadFile(h.fsys, f.path)
		if err != nil {
			return nil, nil, err
		}
		syntax, err := parser.ParseFile(place, f.path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, syntax)
	}
	conf := types.Config{Importer: importer.ForCompiler(place, "gc", exported)}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := conf.Check(module+r.dir, place, files, &info)
	if err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(info.Uses, func(_ *ast.Ident, o types.Object) bool { return o.Pkg() != pkg || !o.Pos().IsValid() })
	return info.Uses, place, nil
}

// exports are the files in which the compiler has noted what the rooms import.
func exports(h *house) (map[string]string, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}")
	for _, f := range h.files {
		if !f.test && slices.ContainsFunc(rooms, func(r room) bool { return r.dir == f.dir }) {
			list.Args = append(list.Args, f.imports...)
		}
	}
	list.Dir = "../.."
	out, err := list.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[name] = file
	}
	return files, err
}

// A made-up room: what goes up is found, whether it is a function, a type, a field, a method
// or a method that is only a value, and so is a table that is too long.
func TestLayers(t *testing.T) {
	h, err := open(fstest.MapFS{
		"shard/a/cell.go": {Data: []byte("package a\n\ntype cell struct{ n int }\n\nfunc (c *cell) grow() { c.n++ }\n")},
		"shard/a/job.go": {Data: []byte("package a\n\ntype job struct {\n\tcell\n\tof *group\n}\n\n" +
			"func (j *job) end() {\n\tj.grow()\n\tj.of.settle()\n\tlater(j.of.settle)\n\tlater(nil)\n\tj.of.jobs[0].of.size++\n}\n")},
		"shard/a/group.go": {Data: []byte("package a\n\ntype group struct {\n\tsize int\n\tjobs list[*job]\n}\n\nfunc (g *group) settle() {}\n\n" +
			"type list[T any] []T\n\nfunc (l list[T]) first() T { return l[0] }\n\ntype ender interface{ end() }\n")},
		"shard/a/later.go":     {Data: []byte("package a\n\nfunc later(f func()) {}\n\nfunc (c *cell) shrink() { new(group).jobs.first().end() }\n")},
		"shard/a/ride_test.go": {Data: []byte("package a\n\nfunc (c *cell) ride() { later(nil) }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &room{"shard/a", []layer{{"cells", []string{"cell*.go", "none.go"}}, {"jobs", []string{"job.go"}}, {"groups", []string{"gr*.go"}}},
		map[string]string{"job.go group.settle": "for now", "job.go end": "it was"}}
	want := []string{
		"shard/a/job.go:5 refers to group, of group.go: groups stands above jobs",
		"shard/a/job.go:11 refers to later, of later.go: what has no layer stands above jobs",
		"shard/a/job.go:13 refers to jobs, of group.go: groups stands above jobs",
		"shard/a/job.go:13 refers to size, of group.go: groups stands above jobs",
		"shard/a: job.go end is allowed, and not there",
		"shard/a: layer cells: there is no none.go",
	}
	if got := complaints(func(c complaint) { r.climbing(h, nil, c) }); !slices.Equal(got, want) {
		t.Errorf("complaints:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.layers[0].files, r.layers[2].files = r.layers[0].files[:1], []string{"gr*.go", "later.go"}
	r.layers[1], r.layers[2], r.up = r.layers[2], r.layers[1], nil
	want = []string{
		"shard/a/group.go:5 refers to job, of job.go: jobs stands above groups",
		"shard/a/later.go:5 refers to job.end, of job.go: jobs stands above groups",
	}
	if got := complaints(func(c complaint) { r.climbing(h, nil, c) }); !slices.Equal(got, want) {
		t.Errorf("the other way: complaints:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
