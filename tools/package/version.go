package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date finds the time of the release, and its version and commit if none were given. Outside a
// repository SOURCE_DATE_EPOCH has to give the time.
func (r *release) date() error {
	stamp, err := output(r.top, "git", "log", "-1", "--format=%ct")
	if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
		stamp, err = given, nil
	}
	if err == nil {
		r.time, err = strconv.ParseInt(stamp, 10, 64)
	}
	if err != nil {
		return fmt.Errorf("the time of the release: %w", err)
	}
	if r.version == "" {
		r.version, err = r.fromGit()
	}
	if err == nil && r.commit == "" {
		if r.commit, err = output(r.top, "git", "rev-parse", "HEAD"); err != nil {
			r.commit, err = "unknown", nil
		}
	}
	return err
}

// fromGit is the version from this commit's tag, such as v1.2.3, which the source must have, too: so it is one that
// the manual's page changes explains. Without a tag it is the
// version in the source with the day and the commit, such as 0.1.0+git20260102.abc1234, which
// sorts above the release before it. If the tree has uncommitted changes, the version says so.
func (r *release) fromGit() (string, error) {
	dirty, err := output(r.top, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return "", err
	}
	if dirty != "" {
		dirty = ".dirty"
	}
	base, err := r.inSource()
	if err != nil {
		return "", err
	}
	if tag, err := output(r.top, "git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*"); err == nil &&
		dirty == "" {
		if tag[1:] != base {
			return "", fmt.Errorf("the tag of this commit is %s, and cmd/beanfield/version.go says %s", tag, base)
		}
		return base, nil
	}
	commit, err := output(r.top, "git", "rev-parse", "--short=7", "HEAD")
	day := time.Unix(r.time, 0).UTC().Format("20060102")
	return base + "+git" + day + "." + commit + dirty, err
}

var versionLine = regexp.MustCompile(`(?m)^var version = "([^"]+)"$`)

// inSource is the version that the program has unless a release sets it.
func (r *release) inSource() (string, error) {
	b, err := os.ReadFile(filepath.Join(r.top, "cmd/beanfield/version.go"))
	if err != nil {
		return "", err
	}
	m := versionLine.FindSubmatch(b)
	if m == nil {
		return "", errors.New("cmd/beanfield/version.go names no version")
	}
	return string(m[1]), nil
}

// output runs a command and returns what it prints.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	b, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, complaint.Bytes())
	}
	return strings.TrimSpace(string(b)), err
}
