package server

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed beanstalkd.sh
var findBeanstalkd string

// Beanstalkd gives Debian's beanstalkd, which is fetched if it is not installed.
func Beanstalkd(ctx context.Context) (string, error) {
	find := exec.CommandContext(ctx, "sh", "-c", findBeanstalkd)
	find.Stderr = os.Stderr
	path, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("fetch beanstalkd: %w\nInstall it (apt-get install beanstalkd), or name one", err)
	}
	return strings.TrimSpace(string(path)), nil
}

// Beanfield builds the server, from the module that this runs in, into dir. With -pgo=auto among the flags it is as
// fast as the one that people run; without, whatever tests have compiled is used again.
func Beanfield(ctx context.Context, dir string, flags ...string) (string, error) {
	return built(ctx, dir, "beanfield/cmd/beanfield", flags...)
}

// Cluster builds tools/cluster likewise.
func Cluster(ctx context.Context, dir string) (string, error) {
	return built(ctx, dir, "beanfield/tools/cluster")
}

func built(ctx context.Context, dir, program string, flags ...string) (string, error) {
	path := filepath.Join(dir, filepath.Base(program))
	args := append([]string{"build", "-o", path}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, program)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s\nRun this in the module, or name a server", program, err, out)
	}
	return path, nil
}
