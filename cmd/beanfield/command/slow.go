package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// slow is the command of that name.
type slow struct{ consoleLink }

func (a *slow) run(c *call) error {
	return a.remembered(c, "slow", func(r *remembered) error {
		if r.Bound == 0 {
			return missingf("log.slow is 0 at the server, so nothing is noted")
		}
		return missingf("the server remembers no command that took longer than %v", time.Duration(r.Bound*1e9))
	}, slowRow, "WHEN", "TOOK", "TURN", "RAN", "DISK", "COMMAND", "TUBE", "JOB", "CLIENT")
}

func slowRow(k *noted) []any {
	verb, job := k.Verb, ""
	if k.Count > 1 {
		verb = fmt.Sprintf("%s x %d", verb, k.Count)
	}
	if k.ID != 0 {
		job = fmt.Sprint(k.ID)
	}
	return []any{k.when(), briefly(k.Took), briefly(k.Turn), briefly(k.Ran), briefly(k.Disk), verb, k.Tube, job, k.by()}
}

// briefly shows seconds.
func briefly(seconds float64) time.Duration {
	return time.Duration(seconds * 1e9).Round(100 * time.Microsecond)
}

// refused is the command of that name.
type refused struct{ consoleLink }

func (a *refused) run(c *call) error {
	return a.remembered(c, "refused", func(r *remembered) error {
		if r.Hidden {
			return errors.New("what was refused is shown to those with the right admin on every tube; " +
				"see beanfield help rights")
		}
		return missingf("the server remembers no command that was refused")
	}, func(k *noted) []any {
		return []any{k.when(), k.Reason, k.by(), fmt.Sprintf("%+q", k.Line)}
	}, "WHEN", "REASON", "CLIENT", "LINE")
}

// remembered are commands that the server remembers.
type remembered struct {
	Bound    float64
	Hidden   bool
	Commands []json.RawMessage
}

// noted is what it says of one.
type noted struct {
	At                    int64 // in milliseconds since 1970
	Verb, Tube            string
	ID                    uint64
	Count                 int
	Client, Who           string
	Took, Turn, Ran, Disk float64
	Reason, Line          string
}

func (k *noted) when() string { return time.UnixMilli(k.At).Format("2006-01-02 15:04:05.000") }
func (k *noted) by() string   { return strings.TrimSpace(k.Client + " " + k.Who) }

// remembered shows what the server remembers. none is the error if that is nothing.
func (l *consoleLink) remembered(c *call, what string, none func(*remembered) error, row func(*noted) []any,
	titles ...any) error {
	var r remembered
	if err := l.get(c, what, &r); err != nil {
		return err
	}
	if len(r.Commands) == 0 {
		return none(&r)
	}
	if c.json {
		return encodeAll(c.Stdout, r.Commands)
	}
	out := newSheet(c.Stdout, false, titles...)
	for _, text := range r.Commands {
		var k noted
		if err := json.Unmarshal(text, &k); err != nil {
			return err
		}
		out.row(row(&k)...)
	}
	return out.Flush()
}
