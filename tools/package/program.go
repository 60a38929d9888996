package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// program builds the server as one static file.
func (r *release) program() error { return r.build("beanfield", r.arch) }

// build builds it for an architecture. The paths of this machine stay out of it.
func (r *release) build(name, arch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+r.version,
		"-o", filepath.Join(r.stage, name), "./cmd/beanfield")
	cmd.Dir = r.top
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// ask runs the program and returns what it prints. A program for another architecture
// cannot run here, so one for this machine answers for it.
func (r *release) ask(args ...string) (string, error) {
	name := "beanfield"
	if r.arch != runtime.GOARCH {
		name = "beanfield.here"
		if _, err := os.Stat(filepath.Join(r.stage, name)); err != nil {
			if err := r.build(name, runtime.GOARCH); err != nil {
				return "", err
			}
		}
	}
	text, err := output(r.stage, filepath.Join(r.stage, name), args...)
	return text + "\n", err
}
