package client_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// importer is a program around the README's example.
const importer = `package main

import (
	"context"
	"time"

	"beanfield/conn/client"
)

func send(context.Context, []byte) error { return nil }

func example(ctx context.Context, letter []byte) error {
	%s
	_, _ = id, pool.Close()
	return err
}

func main() {}
`

// Another module builds what the README shows, as the README says, and downloads nothing for it.
func TestAnotherModule(t *testing.T) {
	readme := string(must.Get(os.ReadFile("../../README.md")))
	_, section, _ := strings.Cut(readme, "\n## Go client\n")
	_, code, _ := strings.Cut(section, "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("the README has no example")
	}
	code = strings.Replace(code, "\n...\n", "\nif err != nil { return err }\n", 1)
	code = strings.ReplaceAll(code, "\n...\n", "\n")
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, importer, code), 0o644))
	here := must.Get(filepath.Abs("../.."))
	for _, args := range [][]string{
		{"mod", "init", "example.com/importer"},
		{"mod", "edit", "-require=beanfield@v0.0.0", "-replace=beanfield=" + here},
		{"vet", "."},
	} {
		command := exec.Command("go", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
	}
}
