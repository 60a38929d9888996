package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// instruction is one step of a script; cases/README lists them.
type instruction struct {
	line    string
	op      string
	conn    string
	text    string
	replies int
	after   time.Duration
	key     string
	value   string
	differs string
	want    string
}

// reads says whether the instruction compares replies.
func (i instruction) reads() bool {
	return i.op == ":" || i.op == "<" || i.op == "-"
}

var (
	connName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	onConn   = regexp.MustCompile(`^([a-z][a-z0-9]*)(?:\*(\d+))?([:>+<!?-])(?: (.*))?$`)
	reading  = regexp.MustCompile(`^(\d+)(?: after (\S+))?$`)
)

// parseScript turns a script into instructions.
func parseScript(script string) ([]instruction, error) {
	var all []instruction
	var differs, want string
	for raw := range strings.SplitSeq(script, "\n") {
		line := strings.TrimLeft(raw, " \t")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if reason, ok := strings.CutPrefix(line, "differs: "); ok {
			differs = reason
			continue
		}
		if text, ok := strings.CutPrefix(line, "want: "); ok {
			want = text
			continue
		}
		some, err := parseInstructions(line)
		if err == nil && differs != "" {
			in := &some[0]
			in.differs = differs
			in.want, err = unescape(want)
			differs, want = "", ""
			if len(some) > 1 || !in.reads() {
				err = fmt.Errorf("nothing to differ in, or more than one thing")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// parseInstructions parses a line, in which a connection may send several commands, one after
// the other.
func parseInstructions(line string) (all []instruction, err error) {
	conn, texts, ok := strings.Cut(line, ": ")
	if !ok || !connName.MatchString(conn) {
		in, err := parseInstruction(line)
		return []instruction{in}, err
	}
	for text := range strings.SplitSeq(texts, "; ") {
		in, err := parseInstruction(conn + ": " + text)
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

func parseInstruction(line string) (instruction, error) {
	in := instruction{line: line, replies: 1}
	if line == "drain" || line == "restart" {
		in.op = line
		return in, nil
	}
	if d, ok := strings.CutPrefix(line, "wait "); ok {
		after, err := time.ParseDuration(d)
		in.op, in.after = "wait", after
		return in, err
	}
	if rest, ok := strings.CutPrefix(line, "? "); ok {
		line = control + "? stats | " + rest
	}
	parts := onConn.FindStringSubmatch(line)
	if parts == nil {
		return in, fmt.Errorf("not an instruction")
	}
	in.conn, in.op = parts[1], parts[3]
	if parts[2] != "" {
		in.replies, _ = strconv.Atoi(parts[2])
	}
	switch in.op {
	case "?":
		return in, in.parseQuestion(parts[4])
	case "<":
		return in, in.parseReading(parts[4])
	}
	text, err := unescape(parts[4])
	in.text = text
	return in, err
}

func (i *instruction) parseQuestion(text string) error {
	question, rest, ok := strings.Cut(text, " | ")
	key, value, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return fmt.Errorf("a question needs QUESTION | KEY VALUE")
	}
	i.text, i.key, i.value = question, key, value
	return nil
}

func (i *instruction) parseReading(text string) error {
	parts := reading.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("a reading needs a number")
	}
	i.replies, _ = strconv.Atoi(parts[1])
	if parts[2] == "" {
		return nil
	}
	var err error
	i.after, err = time.ParseDuration(parts[2])
	return err
}

func unescape(text string) (string, error) {
	return strconv.Unquote(`"` + text + `"`)
}

// play runs instructions on a pair.
type play struct {
	pair   *pair
	same   bool
	opened []string
	sent   map[string]time.Time // when each connection last sent something
	// differed is set once the servers differ on purpose: from there on their
	// counters need not agree.
	differed bool
	lines    int
}

func (p *play) run(script []instruction) error {
	for _, in := range script {
		if err := p.step(in); err != nil {
			return fmt.Errorf("at %q: %w", in.line, err)
		}
	}
	return nil
}

func (p *play) step(in instruction) error {
	switch in.op {
	case "wait":
		time.Sleep(in.after)
		return nil
	case "restart":
		p.opened = nil
		return p.pair.restart()
	case "drain":
		if err := p.pair.signal(syscall.SIGUSR1); err != nil {
			return err
		}
		return p.pair.until(control, "stats", "draining", "true")
	}
	if err := p.open(in.conn); err != nil {
		return err
	}
	switch in.op {
	case ":", ">":
		p.write(in.conn, in.text+"\r\n")
	case "+":
		p.write(in.conn, in.text)
	case "?":
		return p.pair.until(in.conn, in.text, in.key, in.value)
	case "!":
		return p.abort(in.conn)
	case "-":
		p.pair.halfClose(in.conn)
		in.replies = toTheEnd
	}
	if !in.reads() {
		return nil
	}
	return p.read(in)
}

func (p *play) open(conn string) error {
	if conn == control || slices.Contains(p.opened, conn) {
		return nil
	}
	p.opened = append(p.opened, conn)
	return p.pair.open(conn)
}

func (p *play) closed(conn string) {
	p.opened = slices.DeleteFunc(p.opened, func(c string) bool { return c == conn })
}

func (p *play) write(conn, text string) {
	if p.sent == nil {
		p.sent = map[string]time.Time{}
	}
	p.sent[conn] = time.Now()
	p.pair.write(conn, []byte(text))
}

func (p *play) abort(conn string) error {
	p.pair.abort(conn)
	p.closed(conn)
	left := strconv.Itoa(len(p.opened) + 1)
	return p.pair.until(control, "stats", "current-connections", left)
}

// toTheEnd reads replies until the connection is closed.
const toTheEnd = -1

func (p *play) read(in instruction) error {
	p.lines++
	if in.differs != "" {
		if p.same {
			return p.readUncertain(in)
		}
		return p.readDiffering(in)
	}
	for n := 0; n != in.replies; n++ {
		ref, sub, err := p.pair.expect(in.conn, in.text)
		if err != nil {
			return err
		}
		if err := p.onTime(in, ref, sub); err != nil {
			return err
		}
		if ref.eof {
			p.closed(in.conn)
			p.pair.forget(in.conn)
			break
		}
	}
	return nil
}

// lateness is how late a reply may be on a busy machine.
const lateness = 900 * time.Millisecond

func (p *play) onTime(in instruction, ref, sub arrival) error {
	if in.after == 0 {
		return nil
	}
	check := func(name string, a arrival) (late bool, err error) {
		took := a.at.Sub(p.sent[in.conn])
		if late = took > in.after+lateness; late || took < in.after-time.Millisecond {
			err = fmt.Errorf("the %s answered after %v instead of %v", name, took, in.after)
		}
		return late, err
	}
	late, err := check("reference", ref)
	if late {
		return starved{err}
	}
	if err == nil {
		_, err = check("subject", sub)
	}
	return err
}

// readDiffering checks that the subject answers what it must, and that the reference
// answers something else: a difference that is gone must be removed from the table.
func (p *play) readDiffering(in instruction) error {
	p.differed = true
	got := p.collect(p.pair.sub, in, p.pair.patience)
	if got != in.want {
		return &mismatch{in.conn, in.text, strconv.Quote(in.want) + " (what beanfield must answer)",
			strconv.Quote(got), fmt.Errorf("not the difference that is wanted (%s)", in.differs)}
	}
	if ref := p.collect(p.pair.ref, in, referenceGrace); ref == in.want {
		return &mismatch{in.conn, in.text, strconv.Quote(ref), strconv.Quote(got),
			fmt.Errorf("no longer differs, although the table says so (%s)", in.differs)}
	}
	if in.replies == toTheEnd {
		p.closed(in.conn)
		p.pair.forget(in.conn)
	}
	return nil
}

// readUncertain is for two beanstalkds at a place where beanfield differs. They may
// not answer at all, or send memory that was never written, so only the first lines
// must agree.
func (p *play) readUncertain(in instruction) error {
	ref := p.collect(p.pair.ref, in, referenceGrace)
	sub := p.collect(p.pair.sub, in, referenceGrace)
	if firstLine([]byte(ref)) != firstLine([]byte(sub)) {
		return &mismatch{in.conn, in.text, strconv.Quote(ref), strconv.Quote(sub),
			fmt.Errorf("the replies are not equal")}
	}
	p.differed = true
	return nil
}

// referenceGrace is how long the reference may take where it differs: it may
// never answer at all.
const referenceGrace = 100 * time.Millisecond

// collect reads the replies due on one side as one string; an end that comes
// too early shows as a missing reply.
func (p *play) collect(s *side, in instruction, wait time.Duration) string {
	var all strings.Builder
	for n := 0; n != in.replies; n++ {
		a, ok := s.next(in.conn, wait)
		if !ok {
			all.WriteString("(no reply)")
			break
		}
		if a.eof {
			break
		}
		all.Write(a.raw)
	}
	return all.String()
}
