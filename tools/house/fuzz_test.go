package house

import (
	"fmt"
	"go/ast"
	"io/fs"
	"strings"
)

func neverFuzzed(h *house, complain complaint) {
	makefile, err := fs.ReadFile(h.fsys, "Makefile")
	if err != nil {
		complain("%v", err)
		return
	}
	for _, f := range h.files {
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !f.test || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			want := fmt.Sprintf("test ./%s -run '^$$' -fuzz '^%s$$' ", f.dir, fn.Name.Name)
			if !strings.Contains(string(makefile), want) {
				complain("%s: %s is not run by make fuzz", f.at(fn), fn.Name.Name)
			}
		}
	}
}
