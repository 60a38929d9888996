package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The pure packages (H3), and what they may import: all of it computes, nothing of it
// waits, and none of it sees what is outside the process.
var pureDirs = []string{"shard/queue", "shard/queue/cells", "shard/queue/policy"}

var pure = []string{
	"crypto/sha256",
	"beanfield/shard/queue/cells", "beanfield/shard/queue/policy",
	"beanfield/storage", // its types; the log that it writes to is handed in
	"bytes", "cmp", "container/heap", "encoding/binary", "errors", "fmt", "iter", "maps", "math", "math/bits", "slices",
	"sort",
	"strconv", "strings",
	"unsafe", // the sizes of records
}

func impure(h *house, complain complaint) {
	for _, f := range h.files {
		if !slices.Contains(pureDirs, f.dir) || f.test {
			continue
		}
		for _, name := range f.imports {
			if !slices.Contains(pure, name) {
				complain("%s imports %s: the queue is pure", f.path, name)
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if what := effect(n); what != "" {
				complain("%s: %s: the queue is pure", f.at(n), what)
			}
			return true
		})
	}
}

// effect names what a node does that a pure package does not, or "".
func effect(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.ChanType:
		return "has a channel"
	case *ast.SelectStmt:
		return "waits for channels"
	case *ast.SendStmt:
		return "sends to a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "receives from a channel"
		}
	case *ast.CallExpr:
		if prints(n) {
			return "prints"
		}
	}
	return ""
}

// prints says whether a call writes to the outside: fmt's printing to a stream,
// or the language's own print.
func prints(call *ast.CallExpr) bool {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name == "print" || fn.Name == "println"
	case *ast.SelectorExpr:
		from, ok := fn.X.(*ast.Ident)
		return ok && from.Name == "fmt" && (strings.HasPrefix(fn.Sel.Name, "Print") || strings.HasPrefix(fn.Sel.Name,
			"Fprint"))
	}
	return false
}
