package command

import (
	"bufio"
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
	return content{Text: new(string(body))}
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

// export is the command of that name.
type export struct {
	All   bool   `flag:"all export all tubes"`
	Below uint64 `flag:"below look only at ids below this <id>, and put no job to learn the highest"`
	From  uint64 `flag:"from look only at ids from this <id> on"`
}

func (a *export) run(c *call) error {
	if a.All == (len(c.words) > 0) {
		return usagef("name tubes, or use -all")
	}
	if err := checkTubes(c.words...); err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		if _, err := a.count(s, c.words); err != nil { // are the tubes there?
			return err
		}
		found, err := a.find(c, s)
		if err != nil {
			return err
		}
		out, written := bufio.NewWriter(c.Stdout), 0
		damaged, err := s.fetch(found, func(j *job) error { written++; return encode(out, j) })
		err = errors.Join(err, out.Flush())
		if err == nil && written == 0 && len(damaged) == 0 {
			if err := s.stillThere(found); err != nil {
				return err
			}
		}
		if gone := len(found) - written - len(damaged); err == nil && gone > 0 {
			fmt.Fprintf(c.Stderr, "%d jobs were deleted before they could be exported\n", gone)
		}
		if err == nil && len(damaged) > 0 {
			err = damaged
		}
		if err != nil {
			err = fmt.Errorf("%w\n%d of %d jobs were exported", err, written, len(found))
		}
		return err
	})
}

// count is how many jobs there are in the wanted tubes.
func (a *export) count(s *server, tubes []string) (total int64, err error) {
	questions := []string{"stats"}
	if !a.All {
		questions = questions[:0]
		for _, t := range tubes {
			questions = append(questions, "stats-tube "+t)
		}
	}
	for _, q := range questions {
		d, err := s.Stats(q)
		if err != nil {
			return 0, err
		}
		for _, state := range every {
			total += d.Number("current-jobs-" + state)
		}
	}
	return total, nil
}

// window is how many ids are looked at between two looks at the count.
const window = 10_000

// find lists the ids of the wanted jobs, ascending. It walks from the highest id down, and
// stops when it has found as many as there were when it began. It asks for the count after
// the highest id: jobs that are put in between are then counted but never found, so the
// walk goes on to the end, and never stops too early.
func (a *export) find(c *call, s *server) (found []uint64, err error) {
	last := a.Below
	if last == 0 {
		if last, err = s.newestID(); err != nil {
			return nil, fmt.Errorf("%w; export needs no such put if -below ID names an id above those of all jobs", err)
		}
	}
	total, err := a.count(s, c.words)
	if isGone(err) {
		return nil, nil // deleted meanwhile
	}
	show := c.progress("look at ids", int(last))
	defer show.done()
	begun, lowest := last, max(a.From, 1)
	for err == nil && int64(len(found)) < total && last > lowest {
		first := max(lowest, last-min(last, window))
		err = s.survey(idsFrom(first, last), func(j *job) error {
			if a.All || slices.Contains(c.words, j.Tube) {
				found = append(found, j.ID)
			}
			return nil
		})
		last = first
		show.set(int(begun - last))
	}
	slices.Sort(found)
	return found, err
}

// idsFrom are the ids from one to below another.
func idsFrom(first, below uint64) (ids []uint64) {
	for id := first; id < below; id++ {
		ids = append(ids, id)
	}
	return ids
}
