package router

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The house: what each package may import of it. It runs one way, and nobody
// imports a neighbour.
const module = "beanfield"

var storeys = map[string]int{"cmd": 5, "conn": 4, "router": 3, "shard": 2, "storage": 1}

// only says where an import from outside the house may stand. Tools speak the
// protocol, and start processes, so the network is theirs too.
var only = []struct {
	prefix string
	rooms  []string
}{
	{"net", []string{"conn", "cmd", "tools"}},
	{"github.com/cockroachdb/pebble", []string{"storage/pebblestore"}},
	{"github.com/BurntSushi/toml", []string{"cmd"}},
	{"github.com/cespare/xxhash", []string{"router"}},
}

// sharedByTools is made for all tools; otherwise each imports only packages of its own.
const sharedByTools = "tools/server"

// toolOf is the folder in tools that a path lies in.
func toolOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

const maxLines = 400

// source is one Go file: the room of the house that it stands in is the first
// part of its path.
type source struct {
	path, room string
	imports    []string
	lines      int
	described  bool // has a package comment
}

func (s *source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// sources parses all Go files of the module.
func sources(t *testing.T) (list []source) {
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || hasModule(path)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		s := source{path: filepath.ToSlash(rel), lines: bytes.Count(text, []byte("\n")), described: f.Doc != nil}
		s.room, _, _ = strings.Cut(s.path, "/")
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, name)
		}
		list = append(list, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// hasModule says whether a directory is a module of its own.
func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && filepath.Clean(dir) != ".."
}

// misplaced says what is wrong with an import, if anything is.
func misplaced(s *source, name string) string {
	for _, rule := range only {
		if name != rule.prefix && !strings.HasPrefix(name, rule.prefix+"/") {
			continue
		}
		allowed := false
		for _, room := range rule.rooms {
			allowed = allowed || strings.HasPrefix(s.path, room+"/")
		}
		if !allowed {
			return "only " + strings.Join(rule.rooms, ", ") + " may import it"
		}
	}
	inside, ok := strings.CutPrefix(name, module+"/")
	if !ok {
		return ""
	}
	room, rest, _ := strings.Cut(inside, "/")
	switch {
	case s.room == "tools":
		if room == "tools" && toolOf(inside) != toolOf(s.path) && toolOf(inside) != sharedByTools {
			return "a tool does not import another"
		}
	case storeys[room] == 0:
		return "it is no part of the house that may be imported"
	case room == "conn" && s.room == "conn":
		if dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(s.path)), "conn"); rest != "" && dir != "/"+rest {
			return "a face is imported by cmd only: neither by what all share, nor by another face"
		}
		return ""
	case room == s.room && (rest != "" || strings.HasSuffix(s.path, "_test.go")):
		return "" // a part of the same package's folder, or its own test from outside
	case strings.HasPrefix(filepath.ToSlash(filepath.Dir(s.path)), inside+"/"):
		return "" // the package whose folder it stands in
	case inside == "storage/pebblestore" && s.room != "cmd" && !s.test():
		return "the store on disk is chosen in cmd"
	case storeys[room] >= storeys[s.room]:
		return "imports run downwards only: cmd, conn, router, shard, storage"
	}
	return ""
}

func TestImportsRunOneWay(t *testing.T) {
	rooms := map[string]bool{}
	for _, s := range sources(t) {
		rooms[s.room] = true
		if storeys[s.room] == 0 && s.room != "tools" {
			t.Errorf("%s: no place for it in the house", s.path)
			continue
		}
		for _, name := range s.imports {
			if wrong := misplaced(&s, name); wrong != "" {
				t.Errorf("%s imports %s: %s", s.path, name, wrong)
			}
		}
	}
	for room := range storeys {
		if !rooms[room] {
			t.Errorf("no file of %s was found: is the walk wrong?", room)
		}
	}
}

// The rules themselves: each would be noticed.
func TestMisplacedImports(t *testing.T) {
	for _, c := range []struct {
		path, name string
		wrong      bool
	}{
		{"conn/beanstalk/conn.go", "beanfield/router", false},
		{"conn/beanstalk/conn.go", "beanfield/shard", false},
		{"conn/beanstalk/conn.go", "beanfield/conn", false},
		{"conn/beanstalk/conn_test.go", "beanfield/conn/beanstalk", false},
		{"conn/accept.go", "beanfield/conn/beanstalk", true},
		{"conn/admin/page.go", "beanfield/conn/beanstalk", true},
		{"cmd/beanfield/faces.go", "beanfield/conn/beanstalk", false},
		{"cmd/beanfield/main.go", "beanfield/conn", false},
		{"shard/state.go", "beanfield/router", true},
		{"shard/state.go", "beanfield/conn", true},
		{"storage/memory.go", "beanfield/shard", true},
		{"storage/pebblestore/log.go", "beanfield/storage", false},
		{"storage/pebblestore/log.go", "beanfield/shard", true},
		{"shard/shard.go", "beanfield/storage/pebblestore", true},
		{"router/world_test.go", "beanfield/storage/pebblestore", false},
		{"cmd/beanfield/store.go", "beanfield/storage/pebblestore", false},
		{"router/router.go", "beanfield/tools/bench", true},
		{"conn/conn.go", "beanfield/cmd/beanfield", true},
		{"conn/conn_test.go", "beanfield/conn", false},
		{"router/router.go", "net", true},
		{"shard/state.go", "net/http", true},
		{"conn/conn.go", "net", false},
		{"conn/conn.go", "net/netip", false},
		{"tools/bench/main.go", "net", false},
		{"tools/bench/main.go", "beanfield/conn", false},
		{"tools/bench/main.go", "beanfield/tools/compat", true},
		{"tools/bench/load/load.go", "beanfield/tools/compat", true},
		{"tools/bench/main.go", "beanfield/tools/bench/load", false},
		{"tools/bench/stalls/kick.go", "beanfield/tools/bench/load", false},
		{"tools/compat/main.go", "beanfield/tools/bench/load", true},
		{"tools/compat/main.go", "beanfield/tools/server", false},
		{"tools/server/server.go", "beanfield/tools/bench", true},
		{"router/router.go", "github.com/cespare/xxhash/v2", false},
		{"shard/state.go", "github.com/cespare/xxhash/v2", true},
		{"conn/conn.go", "github.com/BurntSushi/toml", true},
		{"cmd/beanfield/config.go", "github.com/BurntSushi/toml", false},
		{"router/router.go", "github.com/cockroachdb/pebble", true},
		{"storage/pebblestore/log.go", "github.com/cockroachdb/pebble/vfs", false},
		{"storage/memory.go", "github.com/cockroachdb/pebble/vfs", true},
		{"router/router.go", "nets", false},
	} {
		s := source{path: c.path}
		s.room, _, _ = strings.Cut(c.path, "/")
		if got := misplaced(&s, c.name); (got != "") != c.wrong {
			t.Errorf("%s imports %s: %q, want wrong: %v", c.path, c.name, got, c.wrong)
		}
	}
}

func TestFilesAreShortAndPackagesDescribed(t *testing.T) {
	described := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		if s.lines > maxLines {
			t.Errorf("%s has %d lines, want %d at most", s.path, s.lines, maxLines)
		}
		dir := filepath.Dir(s.path)
		described[dir] = described[dir] || s.described
	}
	for dir, ok := range described {
		if !ok {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}
