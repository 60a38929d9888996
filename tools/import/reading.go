package main

import (
	"errors"
	"fmt"
	"io"
)

// readAll follows all files of the source and notes in the report what had to
// be skipped. An error means that a file could not be read at all.
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
	skip := skipped{File: s.files[i].name}
	r, err := newReader(f, info.Size())
	for err == nil {
		var rec record
		if rec, err = r.next(); err != nil {
			break
		}
		if why := h.apply(i, &rec); why != "" {
			rep.skip(skipped{File: skip.File, Offset: rec.at, ID: rec.id, Bytes: r.at - rec.at, Why: why})
		}
	}
	var d *damage
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &d):
		skip.Offset, skip.Bytes, skip.Why = d.at, info.Size()-d.at, d.why
		rep.skip(skip)
		return nil
	}
	return err
}

// eachBody reads the jobs' bodies, in the order in which they are stored.
func eachBody(s *source, jobs []moved, fn func(j *moved, body []byte) error) error {
	var body []byte
	for len(jobs) > 0 {
		file := jobs[0].file
		f, err := s.open(file)
		if err != nil {
			return err
		}
		for len(jobs) > 0 && jobs[0].file == file && err == nil {
			j := &jobs[0]
			jobs = jobs[1:]
			if uint32(cap(body)) < j.Size {
				body = make([]byte, j.Size)
			}
			body = body[:j.Size]
			if _, err = f.ReadAt(body, j.bodyAt); err == nil {
				err = fn(j, body)
			}
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", s.files[file].name, err)
		}
	}
	return nil
}
