package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// target is a system and an architecture that a program is for, as Go names them.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "-" + t.arch }

// systems and architectures are those that there are releases for.
var (
	systems       = []string{"linux", "darwin", "freebsd"}
	architectures = []string{"amd64", "arm64"}
)

// everyTarget are all that a release is for.
func everyTarget() (all []target) {
	for _, system := range systems {
		for _, arch := range architectures {
			all = append(all, target{system, arch})
		}
	}
	return all
}

// readTargets reads targets such as linux/amd64, with commas between them.
func readTargets(text string) (all []target, err error) {
	for word := range strings.SplitSeq(text, ",") {
		system, arch, _ := strings.Cut(word, "/")
		t := target{system, arch}
		if !slices.Contains(everyTarget(), t) {
			return nil, fmt.Errorf("no release for %q: there are releases for %s, each on %s, as in linux/amd64", word,
				strings.Join(systems, ", "), strings.Join(architectures, " and "))
		}
		all = append(all, t)
	}
	return all, nil
}

// environment is that of the compiler for a target. Nothing that somebody has set changes what it makes (PK1).
func (r *release) environment(t target) []string {
	flags := r.flags
	if t == r.packaged() {
		flags = ""
	}
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS="+flags, "GOENV=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off")
}

// program is where the stage has the program for a target: one static file.
func program(t target) string { return "beanfield-" + t.String() }

// build builds it. The paths of this machine stay out of it.
func (r *release) build(t target) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+r.version+" -X main.commit="+r.commit,
		"-o", filepath.Join(r.stage, program(t)), "./cmd/beanfield")
	cmd.Dir = r.top
	cmd.Env = r.environment(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", t, err, out)
	}
	return nil
}

// programs builds one for each target, and one for this machine, which is asked what the program says.
func (r *release) programs() error {
	for _, t := range append(r.targets, here) {
		if _, err := os.Stat(filepath.Join(r.stage, program(t))); err == nil {
			continue
		}
		if err := r.build(t); err != nil {
			return err
		}
	}
	return nil
}

var here = target{runtime.GOOS, runtime.GOARCH}

// ask runs the program and returns what it prints.
func (r *release) ask(args ...string) (string, error) {
	text, err := output(r.stage, filepath.Join(r.stage, program(here)), args...)
	return text + "\n", err
}
