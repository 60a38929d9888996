package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Within does something in a directory: a named one, which is made if there is none and stays, or a temporary one,
// which stays after a failure, so that somebody can look at what is in it.
func Within(dir string, do func(dir string) error) (err error) {
	own := dir == ""
	if own {
		dir, err = os.MkdirTemp("", "beanfield-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	if err := do(dir); err != nil {
		return fmt.Errorf("%w\n(what it has left is in %s)", err, dir)
	}
	if own {
		return os.RemoveAll(dir)
	}
	return nil
}

// A Disk is where the kernel counts what is written to a disk; empty where it does not.
type Disk string

// DiskOf is the disk of a directory. A directory in memory has none.
func DiskOf(dir string) Disk {
	var st syscall.Stat_t
	if syscall.Stat(dir, &st) != nil {
		return ""
	}
	major, minor := st.Dev>>8&0xfff, st.Dev&0xff|st.Dev>>12&0xfff00
	path := fmt.Sprintf("/sys/dev/block/%d:%d/stat", major, minor)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return Disk(path)
}

// Written is how many bytes have been written to the disk, by everybody.
func (d Disk) Written() int64 {
	const sectors, sectorSize = 6, 512
	text, _ := os.ReadFile(string(d))
	fields := strings.Fields(string(text))
	if len(fields) <= sectors {
		return 0
	}
	n, _ := strconv.ParseInt(fields[sectors], 10, 64)
	return n * sectorSize
}
