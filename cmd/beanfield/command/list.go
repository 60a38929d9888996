package command

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
func (a *list) options(tubes []string) (list []string, err error) {
	if a.Most < 0 || a.Bodies < 0 || a.Bodies > shownMost {
		return nil, usagef("-n must not be below 0, and -bodies must be 0 to %d", shownMost)
	}
	if err := checkTubes(tubes...); err != nil || len(tubes) > 1 {
		return nil, cmp.Or(err, usagef("name one tube"))
	}
	for _, tube := range tubes {
		list = append(list, client.Option("tube", tube))
	}
	if a.States != "" {
		for _, s := range strings.Split(a.States, ",") {
			if !slices.Contains([]string{ready, delayed, reserved, buried}, s) {
				return nil, usagef("-state %s: want some of ready, delayed, reserved and buried, with commas in between", a.States)
			}
		}
		list = append(list, client.Option("state", a.States))
	}
	for name, age := range map[string]time.Duration{"older": a.Older, "younger": a.Younger} {
		if age > 0 {
			list = append(list, client.Option(name, strconv.FormatFloat(max(age, time.Millisecond).Seconds(), 'f', 3,
				64)))
		}
	}
	if list = append(list, a.Tags...); a.Body != "" {
		list = append(list, client.Option("body", a.Body))
	}
	if a.Bodies > 0 {
		list = append(list, client.Option("bodies", strconv.Itoa(a.Bodies)))
	}
	return list, nil
}

func (a *list) run(c *call) error {
	options, err := a.options(c.words)
	if err != nil {
		return err
	}
	return c.withServer(func(s *client.Client) error {
		can, err := s.Can("list-jobs")
		if err != nil {
			return err
		}
		if !can {
			return fmt.Errorf("the server does not have the command list-jobs; export, peek and tail work with " +
				"every server")
		}
		shown, err := a.pages(c, s, options)
		if err == nil && shown == 0 {
			if err = c.mayList(s); err == nil {
				err = missingf("no job was found")
			}
		}
		return err
	})
}

// mostAsked is of how many tubes it is asked whether the client may peek into one.
const mostAsked = 10

// mayList is an error if the client may not peek into any of the first few tubes.
func (c *call) mayList(s *client.Client) error {
	names, err := s.Tubes()
	for _, tube := range names[:min(len(names), mostAsked)] {
		if mayPeek(s, tube) == nil {
			return nil
		}
	}
	return cmp.Or(err, c.lacks("no job was found, or WHO may not peek at them"))
}

// pageMost is how many jobs a page has at most.
const pageMost = 1000

// pages prints page after page.
func (a *list) pages(c *call, s *client.Client, options []string) (shown int, err error) {
	out := bufio.NewWriter(c.Stdout)
	for cursor := ""; ; {
		most := pageMost
		if a.Most > 0 {
			most = min(most, a.Most-shown)
		}
		page := append(slices.Clone(options), client.Option("limit", strconv.Itoa(most)))
		if cursor != "" {
			page = append(page, client.Option("cursor", cursor))
		}
		jobs, next, err := s.ListJobs(page...)
		if err != nil {
			return shown, err
		}
		for i := range jobs {
			if err := a.print(c, out, &jobs[i]); err != nil {
				return shown, err
			}
		}
		if err := out.Flush(); err != nil {
			return shown, err
		}
		shown += len(jobs)
		if cursor = next; cursor == "" || shown == a.Most && a.Most > 0 {
			return shown, nil
		}
	}
}

func (a *list) print(c *call, out *bufio.Writer, k *client.ListedJob) error {
	if c.json {
		return a.encode(out, k)
	}
	fmt.Fprintf(out, "%s %s %s pri %s age %ss", k.Get("id"), k.Get("tube"), k.Get("state"), k.Get("pri"), k.Get("age"))
	if n := k.Number("reserves"); n > 0 {
		fmt.Fprintf(out, " reserves %d", n)
	}
	for _, f := range k.Tags {
		fmt.Fprintf(out, " %q=%q", f.Key, f.Value)
	}
	for _, key := range []string{"holder", "consumer", "held"} {
		if v := k.Get(key); v != "" {
			fmt.Fprintf(out, " %s %s", key, v)
		}
	}
	for _, b := range k.Been {
		fmt.Fprintf(out, " been %s %s %s", b.Tube, b.Why, b.When.Format(time.RFC3339))
	}
	_, err := fmt.Fprintf(out, " size %s: %q\n", k.Get("size"), k.Body)
	return err
}

// encode prints a job with its tags, and with its body as export does.
func (a *list) encode(out *bufio.Writer, k *client.ListedJob) error {
	object, err := json.Marshal(k.Document)
	if err != nil {
		return err
	}
	more := struct {
		Tags   map[string]string `json:"tags,omitempty"`
		Been   []client.Been     `json:"been,omitempty"`
		Text   *string           `json:"body,omitempty"`
		Binary []byte            `json:"body_base64,omitempty"`
	}{Been: k.Been}
	for _, f := range k.Tags {
		if more.Tags == nil {
			more.Tags = map[string]string{}
		}
		more.Tags[f.Key] = f.Value
	}
	if text := string(k.Body); a.Bodies > 0 && utf8.ValidString(text) {
		more.Text = &text
	} else if a.Bodies > 0 {
		more.Binary = k.Body
	}
	var rest bytes.Buffer
	if err := encode(&rest, more); err != nil {
		return err
	}
	if rest.Len() > len("{}\n") {
		object = append(object[:len(object)-1], ',')
		object = append(object, bytes.TrimSpace(rest.Bytes())[1:]...)
	}
	_, err = out.Write(append(object, '\n'))
	return err
}
