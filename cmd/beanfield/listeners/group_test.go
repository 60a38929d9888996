package listeners

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage/must"
)

// otherGroup is a group that the process may give files to and that is not its own, or its own.
func otherGroup(t *testing.T) int {
	t.Helper()
	if os.Geteuid() == 0 {
		return 4711
	}
	all, err := os.Getgroups()
	if err != nil || len(all) == 0 {
		return os.Getegid()
	}
	return all[0]
}

// A socket is closed to everybody until it is its group's, and has its mode from then on.
func TestUnixGroup(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	g := config.Group{Name: "some", GID: otherGroup(t)}
	for mode, want := range map[fs.FileMode]fs.FileMode{0: 0o750, 0o660: 0o660, 0o666: 0o666} {
		path := filepath.Join(t.TempDir(), "s")
		p := config.Permissions{Mode: mode, Group: g}
		usual := syscall.Umask(0o777)
		syscall.Umask(umask(p, usual))
		l, err := net.Listen("unix", path)
		syscall.Umask(usual)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0 {
			t.Errorf("mode %o: %v, %v before it is the group's", mode, info.Mode(), err)
		}
		must.Do(t, giveToGroup(p, path, usual))
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want || int(info.Sys().(*syscall.Stat_t).Gid) != g.GID {
			t.Errorf("mode %o: %v, %+v, %v", mode, info.Mode(), info.Sys(), err)
		}
	}
}

// What somebody has put in the socket's place meanwhile stays as it is.
func TestUnixGroupFollowsNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	must.Do(t, os.Symlink(file, filepath.Join(dir, "link")))
	p := config.Permissions{Mode: 0o666, Group: config.Group{Name: "some", GID: otherGroup(t)}}
	for _, name := range []string{"file", "link"} {
		if err := giveToGroup(p, filepath.Join(dir, name), 0o022); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

// A socket that cannot be given to its group is not left behind.
func TestUnixGroupForbidden(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may give files to any group")
	}
	path := filepath.Join(t.TempDir(), "s")
	l := config.Listen{Address: config.Address{Path: path},
		Permissions: config.Permissions{Group: config.Group{Name: "root"}}}
	if _, err := bind(context.Background(), l, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "group root") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}
