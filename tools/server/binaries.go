package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// FindBeanstalkd gives Debian's beanstalkd: the installed one, else one that is
// fetched with apt-get and unpacked into a directory of its own. Unpacking, rather
// than installing, starts no service and needs no rights.
func FindBeanstalkd(ctx context.Context, say func(string, ...any)) (string, error) {
	if path, err := exec.LookPath("beanstalkd"); err == nil {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "beanfield-bench")
	path := filepath.Join(dir, "usr/bin/beanstalkd")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	say("fetching beanstalkd with apt-get into %s", dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	fetch := exec.CommandContext(ctx, "apt-get", "download", "beanstalkd")
	fetch.Dir = dir
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("apt-get download beanstalkd: %w\n%s\nInstall beanstalkd, or name one with -beanstalkd", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "beanstalkd_*.deb"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, errors.New("apt-get left no package of beanstalkd"))
	}
	if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", files[len(files)-1], dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("dpkg-deb: %w\n%s", err, out)
	}
	return path, nil
}

// BuildBeanfield builds the server from the module that this runs in.
func BuildBeanfield(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "beanfield")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "beanfield/cmd/beanfield").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build beanfield/cmd/beanfield: %w\n%s\nRun this in the module, or name a server with -beanfield", err, out)
	}
	return path, nil
}
