package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// nfpm makes the packages. It is run and not imported, so that its modules are not among
// ours.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0"

// packages makes the Debian and the RPM package.
func (r *release) packages() error {
	tool := filepath.Join(r.stage, "nfpm")
	install := exec.Command("go", "install", nfpm)
	install.Env = append(os.Environ(), "GOBIN="+r.stage, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if err := os.Link(filepath.Join(r.stage, program(r.packaged())), filepath.Join(r.stage, "beanfield")); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		cmd := exec.Command(tool, "package", "-f", "nfpm.yaml", "-p", kind, "-t", r.out+"/")
		cmd.Dir = r.stage
		cmd.Env = append(os.Environ(), "VERSION="+r.version, "ARCH="+r.arch, "MAINTAINER="+maintainer,
			fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
}
