package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// Permissions are those of unix sockets: anyone who may write to one may connect.
type Permissions struct {
	Mode  fs.FileMode // 0 leaves it to the umask
	Group group
}

// group is a group of this machine; none if it has no name.
type group struct {
	name string // or number, as the configuration has it
	gid  int
}

// permissionSettings are the keys of [queue] and [http], and of each [[listen]].
func permissionSettings[T any](prefix string, of func(*T) *Permissions) []setting[T] {
	return []setting[T]{
		row(prefix+"mode", "", "octal digits", `text from "0001" to "0777", or "" to leave it to the umask`,
			func(c *T) *fs.FileMode { return &of(c).Mode }, asMode, showMode),
		row(prefix+"group", "", "name of a group", `a group of this machine, by name or number, or "" for that of the process`,
			func(c *T) *group { return &of(c).Group }, asGroup, func(g group) string { return quote(g.name) }),
	}
}

// asGroup looks a group up now, before anything is bound.
func asGroup(v any) (group, error) {
	name, err := asText(v)
	if err != nil || name == "" {
		return group{}, err
	}
	number := name
	if strings.Trim(name, "0123456789") != "" {
		g, err := user.LookupGroup(name)
		var unknown user.UnknownGroupError
		if errors.As(err, &unknown) {
			return group{}, errors.New("no such group")
		}
		if err != nil {
			return group{}, err
		}
		number = g.Gid
	}
	gid, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return group{}, errors.New("not the number of a group")
	}
	return group{name, int(gid)}, nil
}

// umask is what is to hold while a socket is bound: with a chmod afterwards the socket would be
// more open for a moment than asked for. A socket that is to be a group's is closed to everybody
// until it is.
func (p Permissions) umask(usual int) int {
	switch {
	case p.Group.name != "":
		return 0o777
	case p.Mode != 0:
		return 0o777 &^ int(p.Mode)
	}
	return usual
}

// open gives a socket that was bound so to its group, and only then opens it. It follows no name
// twice: who may write to the directory could put another file there meanwhile.
func (p Permissions) open(path string, usual int) error {
	if p.Group.name == "" {
		return nil
	}
	const pathOnly, emptyPath = 0x200000, 0x1000 // O_PATH, AT_EMPTY_PATH
	fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	defer syscall.Close(fd)
	var s syscall.Stat_t
	if err := syscall.Fstat(fd, &s); err != nil || s.Mode&syscall.S_IFMT != syscall.S_IFSOCK || int(s.Uid) != os.Geteuid() {
		return errors.New("somebody has replaced the socket")
	}
	if err := syscall.Fchownat(fd, "", -1, p.Group.gid, emptyPath); err != nil {
		return fmt.Errorf("it cannot be given to group %s: %w", p.Group.name, err)
	}
	mode := p.Mode
	if mode == 0 {
		mode = fs.FileMode(0o777 &^ usual)
	}
	return os.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
}
