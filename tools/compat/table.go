package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// oddCase is an entry of the table: lines that are sent each on a connection of
// its own, or a script, or both.
type oddCase struct {
	name   string
	maxJob int    // -z; 0 means beanstalkd's default
	data   bool   // -b: jobs are kept in a data directory, and the servers can be restarted
	form   form   // of the subject's strings in stats; "" means never
	before string // a script that prepares the servers
	lines  []line
	script string
}

// line is sent on a fresh connection, which is then half-closed; all that comes
// back until the end is the answer.
type line struct {
	text    string
	differs string // why beanfield does not answer as the reference does
	want    string // what it answers instead
}

const defaultMaxJob = 65535

// table is every case. What has to do with strings in stats is compared in each form.
func table() []oddCase {
	var inOne []oddCase
	for _, name := range []string{"lines", "numbers", "put", "jobs", "reserve", "tubes", "close", "time", "restart", "differs",
		"computed"} {
		inOne = append(inOne, readCases(name)...)
	}
	return slices.Concat(
		inForms([]form{never}, inOne),
		inForms([]form{never, always, needed, unset}, readCases("names"), readCases("stats")),
	)
}

// inForms has cases compared in each of the forms, and names them after it, the
// first one apart.
func inForms(forms []form, all ...[]oddCase) []oddCase {
	var cases []oddCase
	for i, f := range forms {
		for _, c := range slices.Concat(all...) {
			if c.form = f; i > 0 {
				c.name += "/" + string(f)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// tableResult is how a case ended.
type tableResult struct {
	name  string
	lines int
	errs  []error
}

// runTable runs the cases whose names match, each on servers of its own. Several run at a time: most of them wait for a
// clock or for a process to start, and for a cluster longer.
func runTable(ctx context.Context, p programs, match *regexp.Regexp) []tableResult {
	var cases []oddCase
	for _, c := range table() {
		if match.MatchString(c.name) && p.subject[c.form] != nil && !(c.data && p.through) {
			cases = append(cases, c)
		}
	}
	results := make([]tableResult, len(cases))
	atOnce := map[bool]int{false: 4, true: 6}[p.through]
	sideBySide(ctx, atOnce, len(cases), func(i int) {
		fair("case "+cases[i].name, func() []error {
			results[i] = runCase(ctx, p, cases[i])
			return results[i].errs
		})
	})
	return results
}

func runCase(ctx context.Context, p programs, c oddCase) tableResult {
	r := tableResult{name: c.name}
	before, unread := parseScript(c.before)
	script, err := parseScript(c.script)
	if r.note(errors.Join(unread, err)); len(r.errs) > 0 {
		return r
	}
	stage := &stage{ctx: ctx, programs: p, odd: c, before: before}
	defer stage.clear()
	if len(script) > 0 {
		r.note(stage.script(script))
	}
	for _, l := range c.lines {
		if ctx.Err() != nil {
			break
		}
		// A client that leaves without a word may be gone before it is passed on: then nobody has counted it.
		if l.text != "" || !p.through {
			r.note(stage.line(l))
		}
	}
	r.lines = stage.lines
	r.note(stage.finish())
	return r
}

func (r *tableResult) note(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// stage keeps servers for a case, and fresh ones whenever the last line left
// them in different states.
type stage struct {
	ctx      context.Context
	programs programs
	odd      oddCase
	before   []instruction
	play     *play
	lines    int
}

// on does something with servers that run and are prepared. Those that it leaves in different
// states are not used again.
func (s *stage) on(do func(*play) error) error {
	err := s.set()
	if err == nil {
		err = s.play.pair.blame(do(s.play))
	}
	if err != nil || s.play.differed {
		s.clear()
	}
	return err
}

func (s *stage) set() error {
	if s.play != nil {
		return nil
	}
	p := s.programs
	if s.odd.data {
		p.flags = " -b {dir} -f 0"
	}
	pr, err := startPair(s.ctx, p, s.odd.form, cmp.Or(s.odd.maxJob, defaultMaxJob))
	if err != nil {
		return err
	}
	s.play = &play{pair: pr, same: s.programs.same}
	if err := s.play.run(s.before); err != nil {
		return fmt.Errorf("preparing: %w", pr.blame(err))
	}
	return nil
}

func (s *stage) clear() {
	if s.play != nil {
		s.play.pair.stop()
		s.play = nil
	}
}

func (s *stage) script(script []instruction) error {
	return s.on(func(p *play) error {
		defer func() { s.lines = p.lines }()
		return p.run(script)
	})
}

func (s *stage) line(l line) error {
	if l.differs != "" {
		s.clear()
	}
	s.lines++
	conn := fmt.Sprintf("l%d", s.lines)
	return s.on(func(p *play) error {
		if err := errors.Join(p.pair.ref.dial(conn), p.pair.sub.dial(conn)); err != nil {
			return err
		}
		p.pair.write(conn, []byte(l.text))
		p.pair.halfClose(conn)
		return p.read(instruction{op: "-", conn: conn, text: l.text, replies: toTheEnd, differs: l.differs,
			want: l.want})
	})
}

// finish compares every figure, where the servers are meant to agree.
func (s *stage) finish() error {
	if s.play == nil {
		return nil
	}
	return s.on(func(p *play) error {
		if err := p.pair.unread(); err != nil {
			return err
		}
		return p.pair.compareAll()
	})
}
