package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// referencePath finds beanstalkd, also where a user's PATH has no sbin.
func referencePath() (string, bool) {
	for _, name := range []string{"beanstalkd", "/usr/bin/beanstalkd", "/usr/sbin/beanstalkd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// ensureReference returns beanstalkd's path, installing Debian's package when
// it is missing.
func ensureReference(ctx context.Context, log io.Writer) (string, error) {
	if path, ok := referencePath(); ok {
		return path, nil
	}
	_, _ = fmt.Fprintln(log, "compat: beanstalkd is not installed; installing Debian's package")
	for _, args := range [][]string{{"update"}, {"install", "-y", "beanstalkd"}} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("beanstalkd is needed as the reference, and apt-get %s failed: %w; "+
				"install it as root (apt-get install -y beanstalkd) or name one with -reference", args[0], err)
		}
	}
	if path, ok := referencePath(); ok {
		return path, nil
	}
	return "", errors.New("beanstalkd was installed and yet is not found; name it with -reference")
}

// buildSubject compiles beanfield into dir.
func buildSubject(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "beanfield")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "beanfield/cmd/beanfield")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building beanfield: %w\n%s", err, out)
	}
	return path, nil
}

// unquotedConfig writes the configuration under which beanfield answers stats
// as beanstalkd 1.12 does, without quotes around strings, and spreads tubes over
// several shards also on a machine with few cores.
func unquotedConfig(dir string) (string, error) {
	path := filepath.Join(dir, "compat.toml")
	return path, os.WriteFile(path, []byte(unquotedTOML), 0o600)
}

const unquotedTOML = `shards = 4

[stats]
quote_strings = false
`
