package command

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// list is the command of that name.
type list struct {
	States  string        `flag:"state only jobs in these <states>: STATES"`
	Older   time.Duration `flag:"older only jobs that were put this <time> ago at least"`
	Younger time.Duration `flag:"younger only jobs that were put less than this <time> ago"`
	Tags    tagList       `flag:"tag only jobs with this tag, <NAME=VALUE>; several times for several tags"`
	Body    string        `flag:"body only jobs whose body contains this <text>"`
	Most    int           `flag:"n end after this <number> of jobs"`
	Bodies  int           `flag:"bodies show so many <bytes> of each body, up to 4096"`
}

// shownMost is how much of a body the server shows at most.
const shownMost = 4096

// options are those of list-jobs.
func (a *list) options(tubes []string) (all optionList, err error) {
	if a.Most < 0 || a.Bodies < 0 || a.Bodies > shownMost {
		return nil, usagef("-n must not be below 0, and -bodies must be 0 to %d", shownMost)
	}
	if err := checkTubes(tubes...); err != nil || len(tubes) > 1 {
		return nil, cmp.Or(err, usagef("name one tube"))
	}
	for s := range strings.SplitSeq(cmp.Or(a.States, ready), ",") {
		if !slices.Contains(every, s) {
			return nil, usagef("-state %s: want some of ready, delayed, reserved and buried, with commas in between", a.States)
		}
	}
	all.add("tube", strings.Join(tubes, ""))
	all.add("state", a.States)
	all.add("older", optionTime(a.Older))
	all.add("younger", optionTime(a.Younger))
	all.add("body", a.Body)
	all.add("bodies", optionNumber(a.Bodies))
	return append(all, a.Tags...), nil
}

func (a *list) run(c *call) error {
	options, err := a.options(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		can, err := s.Can("list-jobs")
		if err != nil {
			return err
		}
		if !can {
			return errors.New("the server does not have the command list-jobs; export, peek and tail work with every server")
		}
		shown, err := a.pages(c, s, options)
		if err == nil && shown == 0 {
			err = cmp.Or(s.mayList(), missingf("no job was found"))
		}
		return err
	})
}

// mostAsked is of how many tubes it is asked whether the client may peek into one.
const mostAsked = 10

// mayList is an error if the client may not peek into any of the first few tubes.
func (s *server) mayList() error {
	names, err := s.Tubes()
	for _, tube := range names[:min(len(names), mostAsked)] {
		if s.mayPeek(tube) == nil {
			return nil
		}
	}
	return cmp.Or(err, s.lacks("no job was found, or WHO may not peek at them"))
}

// pageMost is how many jobs a page has at most.
const pageMost = 1000

// pages prints page after page.
func (a *list) pages(c *call, s *server, options optionList) (shown int, err error) {
	out := bufio.NewWriter(c.Stdout)
	for cursor := ""; ; {
		most := pageMost
		if a.Most > 0 {
			most = min(most, a.Most-shown)
		}
		page := slices.Clone(options)
		page.add("limit", optionNumber(most))
		page.add("cursor", cursor)
		var jobs []client.ListedJob
		jobs, cursor, err = s.ListJobs(page...)
		for i := 0; i < len(jobs) && err == nil; i++ {
			err = a.print(c, out, &jobs[i])
		}
		shown += len(jobs)
		if err = cmp.Or(err, out.Flush()); err != nil || cursor == "" || a.Most > 0 && shown == a.Most {
			return shown, err
		}
	}
}

func (a *list) print(c *call, out io.Writer, k *client.ListedJob) error {
	if c.json {
		return a.encode(out, k)
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%s %s %s pri %s age %ss", k.Get("id"), k.Get("tube"), k.Get("state"), k.Get("pri"), k.Get("age"))
	if n := k.Number("reserves"); n > 0 {
		fmt.Fprintf(&line, " reserves %d", n)
	}
	for _, f := range k.Tags {
		fmt.Fprintf(&line, " %q=%q", f.Key, f.Value)
	}
	for _, key := range []string{"holder", "consumer", "held"} {
		if v := k.Get(key); v != "" {
			fmt.Fprintf(&line, " %s %s", key, v)
		}
	}
	for _, b := range k.Been {
		fmt.Fprintf(&line, " been %s %s %s", b.Tube, b.Why, b.When.Format(time.RFC3339))
	}
	_, err := fmt.Fprintf(out, "%s size %s: %q\n", &line, k.Get("size"), k.Body)
	return err
}

// encode prints a job with its tags, and with its body as export does.
func (a *list) encode(out io.Writer, k *client.ListedJob) error {
	more := struct {
		Tags map[string]string `json:"tags,omitempty"`
		Been []client.Been     `json:"been,omitempty"`
		content
	}{Tags: map[string]string{}, Been: k.Been}
	for _, f := range k.Tags {
		more.Tags[f.Key] = f.Value
	}
	if a.Bodies > 0 {
		more.content = contentOf(k.Body)
	}
	object, err := json.Marshal(k.Document)
	var rest bytes.Buffer
	if err = cmp.Or(err, encode(&rest, more)); err != nil {
		return err
	}
	if text := rest.String(); text == "{}\n" {
		_, err = fmt.Fprintf(out, "%s\n", object)
	} else {
		_, err = fmt.Fprintf(out, "%s,%s", object[:len(object)-1], text[1:])
	}
	return err
}
