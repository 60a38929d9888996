package listing

import (
	"fmt"
	"time"
	"unicode/utf8"

	"beanfield/storage"
)

// Entry is a job to be printed. What is nil is left out. If the body of a damaged job
// is wanted, the entry says instead that it cannot be read.
type Entry struct {
	*storage.Job
	Shard *int
	Body  *[]byte
}

// Job prints a job. It does not count it.
func (l *Listing) Job(e Entry) error {
	if l.json != nil {
		return l.json.Encode(lineOf(e))
	}
	_, err := fmt.Fprintln(l.out, textOf(e))
	return err
}

// moment is a time to the millisecond, in UTC.
func moment(nanos int64) string {
	return time.Unix(0, nanos).UTC().Format("2006-01-02T15:04:05.000Z")
}

// textOf is one line. The counters have the names that stats-job gives them.
func textOf(e Entry) string {
	text := fmt.Sprintf("%d %s %s pri %d delay %d ttr %d size %d created %s",
		e.ID, e.Tube, e.State.String(), e.Pri, e.Delay, e.TTR, e.Size, moment(e.Created))
	switch e.State {
	case storage.Delayed:
		text += " ready-at " + moment(e.Deadline)
	case storage.Spent:
		text += " until " + moment(e.Deadline)
	case storage.Buried:
		text += fmt.Sprintf(" bury-rank %d", e.BuryRank)
	}
	text += fmt.Sprintf(" reserves %d timeouts %d releases %d buries %d kicks %d",
		e.Reserves, e.Timeouts, e.Releases, e.Buries, e.Kicks)
	if e.Item != nil {
		text += itemText(e.Item)
	}
	if e.Shard != nil {
		text += fmt.Sprintf(" shard %d", *e.Shard)
	}
	switch {
	case e.Body == nil:
	case e.Damaged:
		text += " (the body cannot be read)" // a body is in quotes, so this is none
	default:
		text += fmt.Sprintf(" %q", *e.Body)
	}
	return text
}

// jobLine is a job as JSON.
type jobLine struct {
	Type     string `json:"type"`
	ID       uint64 `json:"id"`
	Tube     string `json:"tube"`
	State    string `json:"state"`
	Pri      uint32 `json:"pri"`
	Delay    uint32 `json:"delay"`
	TTR      uint32 `json:"ttr"`
	Size     uint32 `json:"size"`
	Created  string `json:"created"`
	ReadyAt  string `json:"ready_at,omitempty"`
	Until    string `json:"until,omitempty"` // spent: when it is deleted
	BuryRank uint64 `json:"bury_rank,omitempty"`
	storage.Counters
	*itemLine
	Shard   *int    `json:"shard,omitempty"`
	Body    *string `json:"body,omitempty"`
	Base64  *[]byte `json:"body_base64,omitempty"`
	Damaged bool    `json:"body_damaged,omitempty"` // instead of a body
}

func lineOf(e Entry) *jobLine {
	line := &jobLine{
		Type: "job", ID: e.ID, Tube: e.Tube, State: e.State.String(), Pri: e.Pri, Delay: e.Delay,
		TTR: e.TTR, Size: e.Size, Created: moment(e.Created), BuryRank: e.BuryRank, Counters: e.Counters,
		Shard: e.Shard,
	}
	if e.Item != nil {
		line.itemLine = itemLineOf(e.Item)
	}
	switch e.State {
	case storage.Delayed:
		line.ReadyAt = moment(e.Deadline)
	case storage.Spent:
		line.Until = moment(e.Deadline)
	}
	switch {
	case e.Body == nil:
	case e.Damaged:
		line.Damaged = true
	case utf8.Valid(*e.Body):
		line.Body = new(string(*e.Body))
	default:
		line.Base64 = e.Body
	}
	return line
}
