package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"beanfield/storage"
)

// tally counts the jobs of a tube.
type tally struct {
	Tube    string `json:"tube,omitempty"`
	Ready   int    `json:"ready"`
	Delayed int    `json:"delayed"`
	Buried  int    `json:"buried"`
	Jobs    int    `json:"jobs"`
	Bytes   int64  `json:"bytes"`
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

// listing prints jobs as they come and remembers the sums.
type listing struct {
	o      options
	out    io.Writer
	enc    *json.Encoder
	tubes  map[string]*tally
	all    tally
	shards int
	maxID  uint64
}

// dump prints a data directory.
func dump(o options, out io.Writer, logger *slog.Logger) (err error) {
	store, logs, err := open(o.dir, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l := &listing{o: o, out: out, enc: json.NewEncoder(out), tubes: make(map[string]*tally), shards: len(logs)}
	for i, log := range logs {
		l.maxID = max(l.maxID, log.MaxID())
		err := log.Replay(func(j *storage.Job, body []byte) error { return l.job(i, j, body) })
		if errors.Is(err, storage.ErrCorrupt) {
			return fmt.Errorf("%w; -salvage NEW_DIR copies what is readable", err)
		}
		if err != nil {
			return err
		}
	}
	if o.json {
		return l.totalJSON()
	}
	return l.totalText()
}

func (l *listing) job(shard int, j *storage.Job, body []byte) error {
	l.all.add(j)
	t := l.tubes[j.Tube]
	if t == nil {
		t = &tally{Tube: j.Tube}
		l.tubes[j.Tube] = t
	}
	t.add(j)
	switch {
	case l.o.summary:
		return nil
	case l.o.json:
		return l.enc.Encode(l.line(shard, j, body))
	}
	return l.text(shard, j, body)
}

// moment prints a time to the millisecond.
func moment(nanos int64) string {
	return time.Unix(0, nanos).UTC().Format("2006-01-02T15:04:05.000Z")
}

// text prints a job on one line, its counters by their first words' names.
func (l *listing) text(shard int, j *storage.Job, body []byte) error {
	_, err := fmt.Fprintf(l.out, "%d %s %s pri %d delay %d ttr %d size %d created %s",
		j.ID, j.Tube, j.State.String(), j.Pri, j.Delay, j.TTR, j.Size, moment(j.Created))
	if err == nil && j.State == storage.Delayed {
		_, err = fmt.Fprintf(l.out, " ready-at %s", moment(j.Deadline))
	}
	if err == nil && j.State == storage.Buried {
		_, err = fmt.Fprintf(l.out, " bury-rank %d", j.BuryRank)
	}
	if err == nil {
		_, err = fmt.Fprintf(l.out, " reserves %d timeouts %d releases %d buries %d kicks %d shard %d",
			j.Reserves, j.Timeouts, j.Releases, j.Buries, j.Kicks, shard)
	}
	if err == nil && l.o.bodies {
		_, err = fmt.Fprintf(l.out, " %q", body)
	}
	if err == nil {
		_, err = fmt.Fprintln(l.out)
	}
	return err
}

// jobLine is a job as JSON.
type jobLine struct {
	Type     string  `json:"type"`
	ID       uint64  `json:"id"`
	Tube     string  `json:"tube"`
	State    string  `json:"state"`
	Pri      uint32  `json:"pri"`
	Delay    uint32  `json:"delay"`
	TTR      uint32  `json:"ttr"`
	Size     uint32  `json:"size"`
	Created  string  `json:"created"`
	ReadyAt  string  `json:"ready_at,omitempty"`
	BuryRank uint64  `json:"bury_rank,omitempty"`
	Reserves uint32  `json:"reserves"`
	Timeouts uint32  `json:"timeouts"`
	Releases uint32  `json:"releases"`
	Buries   uint32  `json:"buries"`
	Kicks    uint32  `json:"kicks"`
	Shard    int     `json:"shard"`
	Body     *string `json:"body,omitempty"`
	Base64   *[]byte `json:"body_base64,omitempty"`
}

func (l *listing) line(shard int, j *storage.Job, body []byte) *jobLine {
	line := &jobLine{
		Type: "job", ID: j.ID, Tube: j.Tube, State: j.State.String(), Pri: j.Pri, Delay: j.Delay,
		TTR: j.TTR, Size: j.Size, Created: moment(j.Created), BuryRank: j.BuryRank, Reserves: j.Reserves,
		Timeouts: j.Timeouts, Releases: j.Releases, Buries: j.Buries, Kicks: j.Kicks, Shard: shard,
	}
	if j.State == storage.Delayed {
		line.ReadyAt = moment(j.Deadline)
	}
	switch {
	case !l.o.bodies:
	case utf8.Valid(body):
		text := string(body)
		line.Body = &text
	default:
		line.Base64 = &body
	}
	return line
}

func (l *listing) sums() []*tally {
	var sums []*tally
	for _, name := range slices.Sorted(maps.Keys(l.tubes)) {
		sums = append(sums, l.tubes[name])
	}
	return sums
}

func (l *listing) totalText() error {
	table := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "ready\tdelayed\tburied\tjobs\tbytes\t  tube\n")
	l.all.Tube = "(all)"
	for _, t := range append(l.sums(), &l.all) {
		_, _ = fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t  %s\n", t.Ready, t.Delayed, t.Buried, t.Jobs, t.Bytes, t.Tube)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(l.out, "shards %d, highest id %d\n", l.shards, l.maxID)
	return err
}

func (l *listing) totalJSON() error {
	for _, t := range l.sums() {
		err := l.enc.Encode(struct {
			Type string `json:"type"`
			*tally
		}{"tube", t})
		if err != nil {
			return err
		}
	}
	return l.enc.Encode(struct {
		Type   string `json:"type"`
		Shards int    `json:"shards"`
		LastID uint64 `json:"last_id"`
		tally
	}{"total", l.shards, l.maxID, l.all})
}
