package binlog

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// readAll reads all files of the source, and notes in the report what it had to skip
// and which files are unreadable. It returns an error if the disk, or another place
// that holds the files, fails.
func readAll(s *source, rep *report) (*history, error) {
	h := newHistory()
	rep.notes = append(rep.notes, s.notes()...)
	for i := range s.files {
		if err := readFile(s, i, h, rep); err != nil {
			return nil, fmt.Errorf("%s: %w", s.files[i].name, err)
		}
	}
	rep.records = h.records
	return h, nil
}

func readFile(s *source, i int, h *history, rep *report) (err error) {
	f, err := s.open(i)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p := part{file: i, name: s.files[i].name, size: info.Size()}
	err = p.read(f, h)
	if err == nil {
		p.report(rep)
	}
	return err
}

// part is what one file adds to the history.
type part struct {
	file  int
	name  string
	size  int64
	sound int // records that make sense
	blank bool
	skips []skipped
}

// read applies the file's records to the history. It returns an error if the disk
// fails.
func (p *part) read(f io.Reader, h *history) error {
	r, err := newReader(&whole{f, p.size}, p.size)
	for err == nil {
		var rec record
		if rec, err = r.next(); err != nil {
			break
		}
		if rec.flaw == "" {
			p.sound++
		}
		if why := h.apply(p.file, &rec); why != "" {
			p.skips = append(p.skips, skipped{File: p.name, Offset: rec.at, ID: rec.id, Bytes: r.at - rec.at, Why: why})
		}
	}
	var d *damage
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &d):
		p.blank = d.blank
		p.skips = append(p.skips, skipped{File: p.name, Offset: d.at, Bytes: p.size - d.at, Why: d.why})
		return nil
	}
	return err
}

// report notes what of the file was not read. A file in which nothing makes sense is
// unreadable: it is not a binlog, or not of a known kind. A file that was made and
// never written to is only skipped: it holds nothing that could be lost.
func (p *part) report(rep *report) {
	switch {
	case p.blank:
		rep.blank++
		rep.skips = append(rep.skips, p.skips...)
	case p.sound == 0 && len(p.skips) > 0:
		rep.unreadable = append(rep.unreadable, unreadable{p.name, p.size, p.skips[0].Why})
	default:
		rep.skips = append(rep.skips, p.skips...)
	}
}

// whole reads as many bytes as the file was said to have. If the file ends before
// that, it returns an error: this is not the end of the log.
type whole struct {
	file io.Reader
	left int64
}

func (w *whole) Read(p []byte) (int, error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	n, err := w.file.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	if errors.Is(err, io.EOF) && w.left > 0 {
		err = fmt.Errorf("the file has become shorter, by %d bytes, while it was read", w.left)
	}
	return n, err
}

// eachBody reads the jobs' bodies, in the order in which they are stored.
func eachBody(s *source, jobs []moved, fn func(j *moved, body []byte) error) error {
	var body []byte
	for len(jobs) > 0 {
		file := jobs[0].file
		n := slices.IndexFunc(jobs, func(j moved) bool { return j.file != file })
		if n < 0 {
			n = len(jobs)
		}
		name := s.files[file].name
		f, err := s.open(file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		body, err = bodiesOf(f, name, jobs[:n], body, fn)
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("%s: %w", name, closing)
		}
		if err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

// bodiesOf reads the bodies in one file, into buf if they fit.
func bodiesOf(f io.ReaderAt, name string, jobs []moved, buf []byte, fn func(j *moved, body []byte) error) (
	[]byte, error) {
	for i := range jobs {
		j := &jobs[i]
		if uint32(cap(buf)) < j.Size {
			buf = make([]byte, j.Size)
		}
		n, err := f.ReadAt(buf[:j.Size], j.bodyAt)
		if uint32(n) < j.Size {
			return buf, fmt.Errorf("%s: the body of job %d, at %d: %d of %d bytes: %w", name, j.ID, j.bodyAt, n, j.Size,
				err)
		}
		if err := fn(j, buf[:j.Size]); err != nil {
			return buf, err
		}
	}
	return buf, nil
}
