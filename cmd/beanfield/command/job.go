package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"beanfield/conn/beanstalk/client"
)

// job is a job as export writes it and load reads it.
type job struct {
	Tube string `json:"tube"`
	ID   uint64 `json:"id"`
	Pri  uint32 `json:"pri"`
	// Delay is how many seconds a delayed job still has to wait, and 0 for others.
	Delay uint32  `json:"delay"`
	TTR   uint32  `json:"ttr"`
	State string  `json:"state"`
	Text  *string `json:"body,omitempty"`
	// Binary is a body that is not UTF-8.
	Binary []byte `json:"body_base64,omitempty"`
}

// The states of a job, as stats-job names them.
const (
	ready    = "ready"
	delayed  = "delayed"
	buried   = "buried"
	reserved = "reserved"
)

var every = []string{ready, delayed, buried, reserved}

func (j *job) setBody(body []byte) {
	if utf8.Valid(body) {
		text := string(body)
		j.Text = &text
	} else {
		j.Binary = body
	}
}

func (j *job) body() []byte {
	if j.Text != nil {
		return []byte(*j.Text)
	}
	return j.Binary
}

// describe takes what a stats-job reply says.
func (j *job) describe(r client.Reply) error {
	if err := r.Want("OK"); err != nil {
		return err
	}
	d, err := client.ParseDocument(r.Body)
	if err != nil {
		return err
	}
	*j = job{Tube: d.Get("tube"), ID: uint64(d.Number("id")), Pri: uint32(d.Number("pri")),
		TTR: uint32(d.Number("ttr")), State: d.Get("state")}
	if j.State == delayed {
		j.Delay = uint32(max(d.Number("time-left"), 0))
	}
	return nil
}

// lookUp is describe for a job of which only the id is known.
func lookUp(s *client.Client, id uint64) (j job, err error) {
	r, err := s.Askf("stats-job %d", id)
	if err == nil {
		err = j.describe(r)
	}
	return j, err
}

// rawFlag is the flag of commands that print jobs with printJob.
func rawFlag(f *flag.FlagSet, raw *bool) {
	f.BoolVar(raw, "raw", false, "print the bodies without line ends behind them")
}

// printJob shows a job: as JSON, one object a line; raw, as it is; or one body a line.
func (c *call) printJob(out io.Writer, j *job, raw bool) error {
	switch {
	case c.json:
		return encode(out, j)
	case raw:
		_, err := out.Write(j.body())
		return err
	}
	_, err := fmt.Fprintf(out, "%s\n", j.body())
	return err
}

// encode writes one line of JSON.
func encode(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// encodeAll writes a line of JSON for each value.
func encodeAll[T any](out io.Writer, list []T) (err error) {
	for i := 0; err == nil && i < len(list); i++ {
		err = encode(out, list[i])
	}
	return err
}

// jobID is the id of a job that a command line names.
type jobID uint64

func (id *jobID) String() string { return strconv.FormatUint(uint64(*id), 10) }

func (id *jobID) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return usagef("%q is not the id of a job", text)
	}
	*id = jobID(n)
	return nil
}

// ids reads the ids on a command line.
func ids(words []string) (all []uint64, err error) {
	if len(words) == 0 {
		return nil, usagef("name at least one job by its id")
	}
	for _, w := range words {
		var id jobID
		if err := id.Set(w); err != nil {
			return nil, err
		}
		all = append(all, uint64(id))
	}
	return all, nil
}

// idList shows ids as they were given.
func idList(ids []uint64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}
