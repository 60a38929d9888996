package manual

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// computed are the lines whose words are put together, by file and function, with what
// trouble.md says of them.
var computed = map[string][]string{
	"cmd/beanfield/main.go run": {"storage.path is set", "can be read by every user",
		"cannot be used by user", "fits nobody", "fits no tube", "is never asked", "let nobody in", "flag was removed",
		"maximum job size was set to", "sync interval was set to"},
	"cmd/beanfield/reload.go tell": {"before, 100000 now", "needs a restart", "storage.path is set",
		"can be read by every user"},
	"conn/audit/writer.go warn": {"events are missing in the audit log",
		"the audit log cannot be written"},
	"conn/forward/seldom.go warn": {"a client is refused", "clients cannot be passed on",
		"a client cannot be watched", "clients of other nodes cannot be accepted", "somebody who is no node"},
	"storage/jetstream/lines.go Warnf":                {"the engine of several machines"},
	"storage/jetstream/lines.go Errorf":               {"the engine of several machines"},
	"storage/jetstream/lines.go Fatalf":               {"the engine of several machines"},
	"storage/pebblestore/database/reporter.go Errorf": {"Lines of the storage library itself"},
	"storage/pebblestore/database/reporter.go listener": {
		"storage: the disk is full: what tidies it is repeated", "storage: tables that cannot be read are not tidied"},
}

// aLog is what a logger is called.
var aLog = regexp.MustCompile(`(^|\.)(log|Log|logger|Logger|logger\(\))$`)

// source reads the files of the server.
func source(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	for _, top := range []string{"cmd", "conn", "router", "shard", "storage"} {
		must.Do(t, fs.WalkDir(os.DirFS("../../.."), top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../..", path), nil,
				parser.SkipObjectResolution)
			if err == nil {
				visit(path, file)
			}
			return err
		}))
	}
}

// words is how an expression of names is written.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return words(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return words(e.Fun) + "()"
	}
	return "?"
}

// literal is the text that a message is, or begins with.
func literal(e ast.Expr) (string, bool) {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return literal(sum.X)
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// entry is what trouble.md quotes of a line.
var entry = regexp.MustCompile("`([^`]+)`")

// block is what the page has besides text.
var block = regexp.MustCompile("(?s)```.*?```")

// explained says whether an entry of the page is how the message begins.
func explained(page, message string) bool {
	for _, quoted := range entry.FindAllStringSubmatch(page, -1) {
		if len(quoted[1]) > 10 && strings.HasPrefix(message, quoted[1]) {
			return true
		}
	}
	return false
}

// TestTroubleIsComplete compares the page with the source: every message that is logged at
// warn or error begins as an entry does.
func TestTroubleIsComplete(t *testing.T) {
	page, _ := Page("trouble")
	page = strings.Join(strings.Fields(block.ReplaceAllString(page, "")), " ")
	found := 0
	source(t, func(path string, file *ast.File) {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "Warn" && sel.Sel.Name != "Error" || !aLog.MatchString(words(sel.X)) {
					return true
				}
				found++
				message, ok := literal(call.Args[0])
				place := path + " " + fn.Name.Name
				switch {
				case ok && !explained(page, message):
					t.Errorf("%s logs %q: trouble.md has to say what it means and what to do", place, message)
				case !ok && computed[place] == nil:
					t.Errorf("%s logs words that are put together: name them in computed, and in trouble.md", place)
				}
				return true
			})
		}
	})
	for place, messages := range computed {
		for _, message := range messages {
			if !strings.Contains(page, message) {
				t.Errorf("trouble.md lacks %q, of %s", message, place)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d lines of the log were found: is the walk wrong?", found)
	}
}

// A page is short, and its lines fit a terminal.
func TestPagesAreShort(t *testing.T) {
	for _, topic := range Topics {
		text, _ := Page(topic.Name)
		lines := strings.Split(text, "\n")
		if len(lines) > 150 {
			t.Errorf("%s has %d lines", topic.Name, len(lines))
		}
		for i, line := range lines {
			if len(line) > 110 {
				t.Errorf("%s.md:%d is too long: %s", topic.Name, i+1, line)
			}
		}
	}
}
