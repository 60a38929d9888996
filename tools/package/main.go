package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	out := flag.String("out", "dist", "where the files go; it is emptied first")
	arch := flag.String("arch", runtime.GOARCH, "the architecture, as Go names it")
	version := flag.String("version", "", "the version (default: from git)")
	flag.Parse()
	if err := makeRelease(*out, *arch, *version); err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

// release is what is being made.
type release struct {
	top     string // of the source
	stage   string // holds the files that are packed
	out     string
	version string
	arch    string
	time    int64 // of the commit, in seconds
}

// makeRelease makes a release of the working tree.
func makeRelease(out, arch, version string) error {
	r, err := newRelease(out, arch, version)
	if err != nil {
		return err
	}
	if r.stage, err = os.MkdirTemp("", "beanfield-package"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	for _, step := range []func() error{r.empty, r.program, r.files, r.documents, r.archives, r.packages, r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func newRelease(out, arch, version string) (*release, error) {
	top, err := output(".", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	r := &release{top: top, arch: arch, version: version}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	return r, r.date()
}

// empty removes an older release, which SHA256SUMS would not list.
func (r *release) empty() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(r.out, "beanfield*"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// files copies what is installed as it is.
func (r *release) files() error {
	if err := os.CopyFS(r.stage, os.DirFS(filepath.Join(r.top, "tools/package/files"))); err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(r.top, "config.example.toml"))
	if err != nil {
		return err
	}
	return r.write("config.example.toml", b)
}

// write puts a file into the stage.
func (r *release) write(name string, b []byte) error {
	return os.WriteFile(filepath.Join(r.stage, name), b, 0o644)
}

// sums writes the checksums, in the form of sha256sum.
func (r *release) sums() error {
	names, err := filepath.Glob(filepath.Join(r.out, "beanfield*"))
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range names { // Glob sorts them
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(b), filepath.Base(name))
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}
