package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	Delay uint32 `json:"delay"`
	TTR   uint32 `json:"ttr"`
	State string `json:"state"`
	content
}

// content is a body as JSON has it.
type content struct {
	Text   *string `json:"body,omitempty"`
	Binary []byte  `json:"body_base64,omitempty"` // what is not UTF-8
}

func contentOf(body []byte) content {
	if !utf8.Valid(body) {
		return content{Binary: body}
	}
	text := string(body)
	return content{Text: &text}
}

func (c content) body() []byte {
	if c.Text != nil {
		return []byte(*c.Text)
	}
	return c.Binary
}

// parseJob reads a line that export wrote.
func parseJob(text []byte) (*job, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	j := job{State: ready, Pri: 1024, TTR: 60}
	err := d.Decode(&j)
	switch {
	case err != nil:
	case !slices.Contains(every, j.State):
		err = fmt.Errorf("the state %q", j.State)
	case j.Text == nil && j.Binary == nil:
		err = errors.New("it has no body")
	case j.Text != nil && j.Binary != nil:
		err = errors.New("it has two bodies")
	case !isTube(j.Tube):
		err = fmt.Errorf("the tube %q", j.Tube)
	default:
		rest, failed := d.Token()
		if errors.Is(failed, io.EOF) {
			return &j, nil
		}
		err = fmt.Errorf("%v after it", rest)
	}
	return nil, fmt.Errorf("not a job: %w", err)
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
	*j = job{Tube: d.Get("tube"), ID: uint64(d.Number("id")), Pri: uint32(d.Number("pri")), TTR: uint32(d.Number("ttr")),
		State: d.Get("state"), content: j.content}
	if j.State == delayed {
		j.Delay = uint32(max(d.Number("time-left"), 0))
	}
	return nil
}

// lookUp describes a job of which only the id is known.
func (s *server) lookUp(id uint64) (j job, err error) {
	r, err := s.Askf("stats-job %d", id)
	if err == nil {
		err = j.describe(r)
	}
	return j, err
}

// survey asks, many at a time, where the jobs with these ids are, and calls each with
// those that exist, without bodies.
func (s *server) survey(ids []uint64, each func(*job) error) error {
	return s.askEach(ids, func(_ uint64, r []client.Reply) error {
		var j job
		err := j.describe(r[0])
		if isGone(err) || err == nil && j.State == "invalid" { // whose body is still arriving
			return nil
		}
		if err == nil {
			err = each(&j)
		}
		return err
	}, "stats-job %d")
}

// fetch asks for jobs with their bodies, many at a time. A job that is gone meanwhile is left out. So is one whose
// body the server cannot read: it is one of the damaged.
func (s *server) fetch(ids []uint64, each func(*job) error) (damaged damagedError, err error) {
	err = s.askEach(ids, func(_ uint64, r []client.Reply) error {
		var j job
		err := j.describe(r[0])
		switch {
		case isGone(err), r[1].Word == "NOT_FOUND":
			return nil
		case err != nil:
		case r[1].Word == unreadable:
			damaged = append(damaged, j)
		default:
			if err = r[1].Want("FOUND"); err == nil {
				j.content = contentOf(r[1].Body)
				err = each(&j)
			}
		}
		return err
	}, "stats-job %d", "peek %d")
	return damaged, err
}

// damagedError names the jobs whose bodies the server cannot read.
type damagedError []job

func (e damagedError) Error() string {
	var lines []string
	for _, j := range e {
		lines = append(lines, fmt.Sprintf("job %d (tube %s, %s) is damaged: the server cannot read its body (%s)",
			j.ID, j.Tube, j.State, unreadable))
	}
	return strings.Join(lines, "\n")
}

// printJob shows a job: as JSON, one object a line; raw, as it is; or one body a line.
func (c *call) printJob(out io.Writer, j *job, raw bool) error {
	if c.json {
		return encode(out, j)
	}
	end := "\n"
	if raw {
		end = ""
	}
	_, err := fmt.Fprintf(out, "%s%s", j.body(), end)
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
