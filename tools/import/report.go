package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"beanfield/storage"
)

// report is what is told about an import.
type report struct {
	from, to string
	files    int
	records  int64
	lastID   uint64
	shards   int
	dryRun   bool
	jobs     []moved // listed one by one, if asked for
	tubes    map[string]*tally
	skips    []skipped
	notes    []string
}

// tally counts a tube's jobs.
type tally struct {
	Tube    string `json:"tube,omitempty"`
	Ready   int    `json:"ready"`
	Delayed int    `json:"delayed"`
	Buried  int    `json:"buried"`
	Jobs    int    `json:"jobs"`
	Bytes   int64  `json:"bytes"`
}

// skipped is a part of a file that was not believed. Bytes is how much.
type skipped struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	ID     uint64 `json:"id,omitempty"`
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
}

func (r *report) skip(s skipped) { r.skips = append(r.skips, s) }

func (r *report) count(jobs []moved) {
	r.tubes = make(map[string]*tally)
	for i := range jobs {
		t := r.tubes[jobs[i].Tube]
		if t == nil {
			t = &tally{Tube: jobs[i].Tube}
			r.tubes[t.Tube] = t
		}
		t.add(&jobs[i].Job)
	}
}

func (t *tally) add(j *storage.Job) {
	t.Jobs++
	t.Bytes += int64(j.Size)
	switch j.State {
	case storage.Delayed:
		t.Delayed++
	case storage.Buried:
		t.Buried++
	default:
		t.Ready++
	}
}

// sums returns the tubes by name, and what they hold together.
func (r *report) sums() (tubes []*tally, all tally) {
	for _, name := range slices.Sorted(maps.Keys(r.tubes)) {
		t := r.tubes[name]
		tubes = append(tubes, t)
		all.Ready += t.Ready
		all.Delayed += t.Delayed
		all.Buried += t.Buried
		all.Jobs += t.Jobs
		all.Bytes += t.Bytes
	}
	return tubes, all
}

// sortJobs puts the list of jobs in the order of their ids.
func sortJobs(jobs []moved) {
	slices.SortFunc(jobs, func(a, b moved) int { return cmp.Compare(a.ID, b.ID) })
}

func (r *report) text(w io.Writer) error {
	out := bufio.NewWriter(w)
	tubes, all := r.sums()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, j := range r.jobs {
		_, _ = fmt.Fprintf(table, "job\t%d\t%s\t%d bytes\t  %s\n", j.ID, j.State.String(), j.Size, j.Tube)
	}
	_ = table.Flush()
	_, _ = fmt.Fprintf(table, "ready\tdelayed\tburied\tjobs\tbytes\t  tube\n")
	all.Tube = "(all)"
	for _, t := range append(tubes, &all) {
		_, _ = fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t  %s\n", t.Ready, t.Delayed, t.Buried, t.Jobs, t.Bytes, t.Tube)
	}
	_ = table.Flush()
	for _, s := range r.skips {
		_, _ = fmt.Fprintf(out, "skipped: %s at %d, %d bytes", s.File, s.Offset, s.Bytes)
		if s.ID != 0 {
			_, _ = fmt.Fprintf(out, ", job %d", s.ID)
		}
		_, _ = fmt.Fprintf(out, ": %s\n", s.Why)
	}
	for _, n := range r.notes {
		_, _ = fmt.Fprintf(out, "note: %s\n", n)
	}
	_, _ = fmt.Fprintf(out, "read %d records of %d files in %s; the highest id is %d\n", r.records, r.files, r.from, r.lastID)
	if r.dryRun {
		_, _ = fmt.Fprintln(out, "nothing was written: this was a dry run")
	} else {
		_, _ = fmt.Fprintf(out, "imported %d jobs into %s, %d shards\n", all.Jobs, r.to, r.shards)
	}
	return out.Flush()
}
