package house

import (
	"fmt"
	"go/ast"
	"io/fs"
	"strings"
)

func neverFuzzed(h *house) (complaints []string) {
	makefile, err := fs.ReadFile(h.fsys, "Makefile")
	if err != nil {
		return []string{"H11: " + err.Error()}
	}
	for _, f := range h.files {
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !f.test || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			want := fmt.Sprintf("test ./%s -run '^$$' -fuzz '^%s$$' ", f.dir, fn.Name.Name)
			if !strings.Contains(string(makefile), want) {
				complaints = append(complaints, fmt.Sprintf("H11: %s: %s is not run by make fuzz", f.at(fn), fn.Name.Name))
			}
		}
	}
	return complaints
}
