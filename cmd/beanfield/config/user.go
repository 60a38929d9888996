package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"beanfield/cmd/beanfield/exit"
)

// account is a user to become.
type account struct {
	name     string
	UID, GID int
	Groups   []int
}

// LookupAccount finds a user by name, with all the groups it is in.
func LookupAccount(name string) (*account, error) {
	u, err := user.Lookup(name)
	var unknown user.UnknownUserError
	if errors.As(err, &unknown) {
		return nil, exit.With(exit.NoUser, errors.New("no such user"))
	}
	if err != nil {
		return nil, exit.With(exit.UserLookup, err)
	}
	ids, err := u.GroupIds()
	if err != nil {
		return nil, exit.With(exit.UserLookup, fmt.Errorf("looking up its groups: %w", err))
	}
	a := &account{name: name}
	for i, id := range append([]string{u.Uid, u.Gid}, ids...) {
		n, err := strconv.Atoi(id)
		if err != nil {
			return nil, exit.With(exit.UserLookup, err)
		}
		switch i {
		case 0:
			a.UID = n
		case 1:
			a.GID = n
		default:
			a.Groups = append(a.Groups, n)
		}
	}
	return a, nil
}

// Become makes the process that user, on all its threads. Groups are changed first:
// only root may do that, and root's own groups would remain.
func (a *account) Become() error {
	if uid := os.Geteuid(); uid != 0 && uid == a.UID && os.Getuid() == a.UID && os.Getegid() == a.GID {
		return nil // nothing to give up, and an ordinary user may not try
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"setgroups", func() error { return syscall.Setgroups(a.Groups) }},
		{"setgid", func() error { return syscall.Setgid(a.GID) }},
		{"setuid", func() error { return syscall.Setuid(a.UID) }},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return exit.With(exit.UserChange, fmt.Errorf("cannot become user %s: %s: %w", a.name, s.what, err))
		}
	}
	return nil
}

// stopped is the first of a file and the directories above it that does not let the user do what is needed; "" if all
// do. What has an access control list may let more users in than its mode says.
func (a *account) stopped(path string, need fs.FileMode) string {
	path, err := filepath.Abs(path)
	for at := path; err == nil; at, need = filepath.Dir(at), 1 {
		info, err := os.Stat(at)
		if err == nil && !listed(at) && !a.may(info, need) {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return ""
}

// may says whether a mode lets the user do all that is needed.
func (a *account) may(info fs.FileInfo, need fs.FileMode) bool {
	mode, owner := info.Mode().Perm(), info.Sys().(*syscall.Stat_t)
	switch {
	case a.UID == 0:
		return true
	case int(owner.Uid) == a.UID:
		mode >>= 6
	case int(owner.Gid) == a.GID || slices.Contains(a.Groups, int(owner.Gid)):
		mode >>= 3
	}
	return mode&need == need
}
