package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	out := flag.String("out", "dist", "where the files go; it is emptied first")
	arch := flag.String("arch", runtime.GOARCH, "the architecture of the packages, as Go names it")
	targets := flag.String("targets", "", "what archives are for, as linux/amd64,darwin/arm64 (default: all)")
	version := flag.String("version", "", "the version (default: from git)")
	commit := flag.String("commit", "", "the commit (default: from git)")
	flag.Parse()
	r := &release{out: *out, version: *version, commit: *commit, arch: *arch, targets: everyTarget()}
	var err error
	if *targets != "" {
		r.targets, err = readTargets(*targets)
	}
	if err == nil {
		err = r.make()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

// release is what is being made. All but its stage, its time and what git knows is given.
type release struct {
	top     string // of the source; "": where this runs
	stage   string // holds the files that are packed
	out     string
	version string
	commit  string
	arch    string   // of the packages
	targets []target // of the archives
	flags   string   // of the compiler, for what is only in archives; tests make that sooner
	time    int64    // of the commit, in seconds
}

// make makes a release of the working tree.
func (r *release) make() (err error) {
	if r.stage, err = os.MkdirTemp("", "beanfield-package"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	if !slices.Contains(r.targets, r.packaged()) {
		r.targets = append(r.targets, r.packaged())
	}
	for _, step := range []func() error{r.find, r.date, r.empty, r.programs, r.files, r.documents, r.archives,
		r.packages,
		r.sums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// find finds the source, and says where the files go.
func (r *release) find() (err error) {
	if r.out, err = filepath.Abs(r.out); err == nil && r.top == "" {
		r.top, err = output(".", "go", "list", "-m", "-f", "{{.Dir}}")
	}
	return err
}

// packaged is what the packages and the container are for.
func (r *release) packaged() target { return target{"linux", r.arch} }

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
	if err := os.Mkdir(filepath.Join(r.stage, "extensions"), 0o755); err != nil {
		return err
	}
	for _, name := range append([]string{"config.example.toml"}, extensions...) {
		b, err := os.ReadFile(filepath.Join(r.top, strings.Replace(name, "extensions", "tools/clients/extensions", 1)))
		if err = cmp.Or(err, r.write(name, b)); err != nil {
			return err
		}
	}
	return nil
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
