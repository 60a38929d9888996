package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// installed finds beanstalkd, also where a user's PATH has no sbin.
func installed() (string, bool) {
	for _, name := range []string{"beanstalkd", "/usr/bin/beanstalkd", "/usr/sbin/beanstalkd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// Beanstalkd gives Debian's beanstalkd: the installed one, otherwise one that is fetched
// with apt-get and unpacked into a directory of its own. Unpacking, rather than
// installing, starts no service and needs no rights.
func Beanstalkd(ctx context.Context, say func(string, ...any)) (string, error) {
	if path, ok := installed(); ok {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "beanfield-tools")
	path := filepath.Join(dir, "usr/bin/beanstalkd")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	say("fetching beanstalkd with apt-get into %s", dir)
	if err := fetch(ctx, dir); err != nil {
		return "", fmt.Errorf("%w\nInstall beanstalkd (apt-get install beanstalkd), or name one", err)
	}
	return path, nil
}

// fetch unpacks Debian's package into dir.
func fetch(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if download(ctx, dir) != nil {
		// A new system may not have its lists of packages yet. Without the right to fetch
		// them, the second download tells why it fails.
		_ = exec.CommandContext(ctx, "apt-get", "update").Run()
		if err := download(ctx, dir); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "beanstalkd_*.deb"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("apt-get left no package of beanstalkd"))
	}
	if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", files[len(files)-1], dir).CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w\n%s", err, out)
	}
	return nil
}

func download(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "apt-get", "download", "beanstalkd")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get download beanstalkd: %w\n%s", err, out)
	}
	return nil
}

// Beanfield builds the server, from the module that this runs in, into dir. With -pgo=auto among the flags it is as
// fast as the one that people run; without, whatever tests have compiled is used again.
func Beanfield(ctx context.Context, dir string, flags ...string) (string, error) {
	path := filepath.Join(dir, "beanfield")
	args := append([]string{"build", "-o", path}, flags...)
	out, err := exec.CommandContext(ctx, "go", append(args, "beanfield/cmd/beanfield")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build beanfield/cmd/beanfield: %w\n%s\nRun this in the module, or name a server", err, out)
	}
	return path, nil
}
