package main

import (
	"bufio"
	"encoding/json"
	"io"
)

// The lines of a report as JSON: each an object that tells its type.
type (
	jobLine struct {
		Type  string `json:"type"`
		ID    uint64 `json:"id"`
		Tube  string `json:"tube"`
		State string `json:"state"`
		Bytes uint32 `json:"bytes"`
	}
	tubeLine struct {
		Type string `json:"type"`
		*tally
	}
	skippedLine struct {
		Type string `json:"type"`
		*skipped
	}
	noteLine struct {
		Type string `json:"type"`
		Note string `json:"note"`
	}
	totalLine struct {
		Type    string `json:"type"`
		From    string `json:"from"`
		To      string `json:"to,omitempty"`
		Shards  int    `json:"shards,omitempty"`
		DryRun  bool   `json:"dry_run"`
		Files   int    `json:"files"`
		Records int64  `json:"records"`
		Skipped int    `json:"skipped"`
		LastID  uint64 `json:"last_id"`
		tally
	}
)

// lines writes the report as JSON: jobs if asked for, tubes, what was skipped,
// notes, and the total last.
func (r *report) lines(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for _, j := range r.jobs {
		if err := enc.Encode(jobLine{"job", j.ID, j.Tube, j.State.String(), j.Size}); err != nil {
			return err
		}
	}
	tubes, all := r.sums()
	for _, t := range tubes {
		if err := enc.Encode(tubeLine{"tube", t}); err != nil {
			return err
		}
	}
	for i := range r.skips {
		if err := enc.Encode(skippedLine{"skipped", &r.skips[i]}); err != nil {
			return err
		}
	}
	for _, n := range r.notes {
		if err := enc.Encode(noteLine{"note", n}); err != nil {
			return err
		}
	}
	total := totalLine{
		Type: "total", From: r.from, To: r.to, Shards: r.shards, DryRun: r.dryRun, Files: r.files,
		Records: r.records, Skipped: len(r.skips), LastID: r.lastID, tally: all,
	}
	if err := enc.Encode(total); err != nil {
		return err
	}
	return out.Flush()
}
