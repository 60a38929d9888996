package binlog

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"beanfield/cmd/beanfield/listing"
)

// report is what the user is told about an import.
type report struct {
	from, to   string
	files      int
	blank      int // files that were never written to
	records    int64
	lastID     uint64
	shards     int
	dryRun     bool
	written    bool // to is a data directory now
	list       bool // print the jobs one by one
	jobs       []moved
	skips      []skipped
	unreadable []unreadable
	notes      []string
}

// skipped is a part of a file that was not used. Bytes is its length.
type skipped struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	ID     uint64 `json:"id,omitempty"`
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
}

// unreadable is a file that has data, and not one record that makes sense.
type unreadable struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}

// refusal returns an error if nothing may be written. What is in an unreadable file
// would be lost without a trace, ids included, so the user has to insist. If all files
// are unreadable or empty, a new directory would only look like success.
func (r *report) refusal(insisted bool) error {
	n := len(r.unreadable)
	switch {
	case n+r.blank == r.files && n == 0:
		return fmt.Errorf("%s has no jobs: nothing was ever written to its files", r.from)
	case n+r.blank == r.files:
		return fmt.Errorf("%s has no file that can be read", r.from)
	case n > 0 && !insisted:
		return fmt.Errorf("%d of %d files cannot be read: -skip-unreadable leaves out what they hold", n, r.files)
	}
	return nil
}

// The lines of a report as JSON, beside those of a listing.
type (
	skippedLine struct {
		Type string `json:"type"`
		*skipped
	}
	unreadableLine struct {
		Type string `json:"type"`
		*unreadable
	}
	noteLine struct {
		Type string `json:"type"`
		Note string `json:"note"`
	}
	totalLine struct {
		Type       string `json:"type"`
		From       string `json:"from"`
		To         string `json:"to,omitempty"`
		Shards     int    `json:"shards,omitempty"`
		DryRun     bool   `json:"dry_run"`
		Written    bool   `json:"written"`
		Files      int    `json:"files"`
		Unreadable int    `json:"unreadable"`
		Records    int64  `json:"records"`
		Skipped    int    `json:"skipped"`
		LastID     uint64 `json:"last_id"`
		listing.Count
	}
)

// print writes the report: jobs if asked for, tubes, what was not read, notes, and
// last the total.
func (r *report) print(w io.Writer, asJSON bool) error {
	out := bufio.NewWriter(w)
	l := listing.New(out, asJSON)
	slices.SortFunc(r.jobs, func(a, b moved) int { return cmp.Compare(a.ID, b.ID) })
	for _, j := range r.jobs {
		l.Add(&j.Job)
		if !r.list {
			continue
		}
		if err := l.Job(listing.Entry{Job: &j.Job}); err != nil {
			return err
		}
	}
	if err := l.Tubes(); err != nil {
		return err
	}
	if err := r.printUnread(l); err != nil {
		return err
	}
	for _, n := range r.notes {
		if err := l.Line(noteLine{"note", n}, "note: %s", n); err != nil {
			return err
		}
	}
	if err := r.printTotal(l); err != nil {
		return err
	}
	return out.Flush()
}

func (r *report) printUnread(l *listing.Listing) error {
	for i := range r.skips {
		s := &r.skips[i]
		job := ""
		if s.ID != 0 {
			job = fmt.Sprintf(", job %d", s.ID)
		}
		if err := l.Line(skippedLine{"skipped", s}, "skipped: %s at %d, %d bytes%s: %s", s.File, s.Offset, s.Bytes, job,
			s.Why); err != nil {
			return err
		}
	}
	for i := range r.unreadable {
		u := &r.unreadable[i]
		if err := l.Line(unreadableLine{"unreadable", u}, "unreadable: %s, %d bytes: %s", u.File, u.Bytes,
			u.Why); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) printTotal(l *listing.Listing) error {
	total := totalLine{
		Type: "total", From: r.from, To: r.to, Shards: r.shards, DryRun: r.dryRun, Written: r.written, Files: r.files,
		Unreadable: len(r.unreadable), Records: r.records, Skipped: len(r.skips), LastID: r.lastID, Count: l.All,
	}
	end := "nothing was written"
	switch {
	case r.written:
		end = fmt.Sprintf("imported %d jobs into %s, %d shards", l.All.Jobs, r.to, r.shards)
	case r.dryRun:
		end += ": this was a dry run"
	}
	return l.Line(total, "read %d records of %d files in %s; the highest id is %d\n%s",
		r.records, r.files-len(r.unreadable), r.from, r.lastID, end)
}
