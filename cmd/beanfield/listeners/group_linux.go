package listeners

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"beanfield/cmd/beanfield/config"
)

// giveToGroup gives a socket that was bound so to its group, and only then opens it. It follows no name
// twice: who may write to the directory could put another file there meanwhile.
func giveToGroup(p config.Permissions, path string, usual int) error {
	if p.Group.Name == "" {
		return nil
	}
	const pathOnly, emptyPath = 0x200000, 0x1000 // O_PATH, AT_EMPTY_PATH
	fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open", err)
	}
	defer syscall.Close(fd)
	var s syscall.Stat_t
	if err := syscall.Fstat(fd, &s); err != nil || s.Mode&syscall.S_IFMT != syscall.S_IFSOCK ||
		int(s.Uid) != os.Geteuid() {
		return errors.New("somebody has replaced the socket")
	}
	if err := syscall.Fchownat(fd, "", -1, p.Group.GID, emptyPath); err != nil {
		return fmt.Errorf("it cannot be given to group %s: %w", p.Group.Name, err)
	}
	mode := p.Mode
	if mode == 0 {
		mode = fs.FileMode(0o777 &^ usual)
	}
	return os.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
}
