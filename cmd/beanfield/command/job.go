package command

import (
	"encoding/json"
	"fmt"
	"io"
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
