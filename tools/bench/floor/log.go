//go:build linux

package floor

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A log is a file of zeros that is written from its beginning to its end, again and
// again: a sync never changes which blocks the file has.
type log struct {
	file     *os.File
	size, at int64
}

func newLog(path string, size int64) (*log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < size && err == nil; at += int64(len(zeros)) {
		_, err = file.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at)
	}
	if err = errors.Join(err, file.Sync()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &log{file: file, size: size}, nil
}

// keep is one write and one sync. A group that does not fit into the rest of the file goes
// to its beginning.
func (l *log) keep(group []byte) error {
	n := int64(len(group))
	if n > l.size {
		return fmt.Errorf("a group of %d bytes is longer than the log", n)
	}
	if l.at+n > l.size {
		l.at = 0
	}
	if _, err := l.file.WriteAt(group, l.at); err != nil {
		return err
	}
	l.at += n
	return os.NewSyscallError("fdatasync", syscall.Fdatasync(int(l.file.Fd())))
}
