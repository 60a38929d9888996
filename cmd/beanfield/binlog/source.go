package binlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// source is beanstalkd's directory, locked so that beanstalkd does not start on it.
type source struct {
	dir   string
	fsys  fs.FS    // what is in dir
	lock  *os.File // nil if the directory has none
	files []binlog // ascending
	odd   []string // names like a binlog's that beanstalkd does not read
}

type binlog struct {
	name   string
	number int64
}

// openSource locks the directory and lists what fsys shows of it. It creates nothing
// there.
func openSource(dir string, fsys fs.FS) (*source, error) {
	s := &source{dir: dir, fsys: fsys}
	if err := s.list(); err != nil {
		return nil, err
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("%s has no binlog in it", dir)
	}
	if err := s.acquire(); err != nil {
		return nil, err
	}
	// Again, as beanstalkd may have changed it before it was locked.
	if err := s.list(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *source) list() error {
	entries, err := fs.ReadDir(s.fsys, ".")
	if err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	s.files, s.odd = nil, nil
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "binlog.")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 1 || n > math.MaxInt32 || digits != strconv.FormatInt(n, 10) {
			s.odd = append(s.odd, e.Name())
			continue
		}
		s.files = append(s.files, binlog{e.Name(), n})
	}
	slices.SortFunc(s.files, func(a, b binlog) int { return int(a.number - b.number) })
	return nil
}

// acquire locks the file that a running beanstalkd locks, as a reader: that excludes
// beanstalkd and needs no permission to write.
func (s *source) acquire() error {
	f, err := os.Open(filepath.Join(s.dir, "lock"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := syscall.Flock_t{Type: syscall.F_RDLCK}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &whole)
	if err == nil {
		s.lock = f
		return nil
	}
	if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES) {
		return errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	who := ""
	holder := syscall.Flock_t{Type: syscall.F_RDLCK}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &holder) == nil && holder.Pid > 0 {
		who = fmt.Sprintf(", process %d", holder.Pid)
	}
	return errors.Join(fmt.Errorf("%s is in use by a running beanstalkd%s: stop it first", s.dir, who), f.Close())
}

func (s *source) close() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

// binlogFile is an open binlog.
type binlogFile interface {
	fs.File
	io.ReaderAt
}

func (s *source) open(file int) (binlogFile, error) {
	f, err := s.fsys.Open(s.files[file].name)
	if err != nil {
		return nil, err
	}
	b, ok := f.(binlogFile)
	if !ok {
		return nil, errors.Join(errors.New("not a plain file"), f.Close())
	}
	return b, nil
}

// notes are what is unusual about the directory.
func (s *source) notes() []string {
	var notes []string
	if s.lock == nil {
		notes = append(notes, "there is no lock file, and none was made: this is not the directory of a running "+
			"beanstalkd, "+
			"unless somebody removed that file")
	}
	for i, f := range s.files[1:] {
		switch before := s.files[i].number; f.number - before {
		case 1:
		case 2:
			notes = append(notes, fmt.Sprintf("binlog.%d is missing", before+1))
		default:
			notes = append(notes, fmt.Sprintf("binlog.%d to binlog.%d are missing", before+1, f.number-1))
		}
	}
	for _, name := range s.odd {
		notes = append(notes, name+" is not a name that beanstalkd reads: left alone")
	}
	return notes
}
