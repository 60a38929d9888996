package protocol

import (
	"bytes"
	"slices"
	"strings"

	"beanfield/shard/queue"
)

// Verb is a command's number in its grammar; 0 is none.
type Verb uint8

// Args are a command's arguments, in order.
type Args [5]Arg

// Grammar says how all commands are written.
type Grammar struct {
	by [256][]token // by first letter, in the order in which lines are compared with them
}

// token is what a line begins with. A space that belongs to it decides how odd lines are
// answered: "reserve-job" without its space is the command reserve with something behind it,
// but "peek" without its space is unknown.
type token struct {
	text   string
	args   Args
	verb   Verb
	spaced bool // spaces at the end of the line are no part of it
}

// Add makes a command known. Whatever order they are added in, a line is compared with a text
// before it is compared with the beginning of that text. The space before the first argument belongs to the text.
func (g *Grammar) Add(v Verb, text string, args Args, spaced bool) {
	if args[0] != noArg && args[0] != Apart {
		text += " "
	}
	list := &g.by[text[0]]
	i := slices.IndexFunc(*list, func(t token) bool { return strings.HasPrefix(text, t.text) })
	if i < 0 {
		i = len(*list)
	}
	*list = slices.Insert(*list, i, token{text, args, v, spaced})
}

// match finds the command of a line, and what follows its word.
func (g *Grammar) match(line []byte) (*token, []byte) {
	if len(line) == 0 {
		return nil, nil
	}
	list := g.by[line[0]]
	for i := range list {
		t := &list[i]
		if len(line) >= len(t.text) && string(line[:len(t.text)]) == t.text && (t.args[0] != Apart ||
			len(line) == len(t.text) || line[len(t.text)] == ' ') {
			return t, line[len(t.text):]
		}
	}
	return nil, nil
}

// Command is a parsed line.
type Command struct {
	Verb Verb
	// Counts is false only for a line that is so malformed that stats do not count
	// it.
	Counts bool
	// Trailing marks a line with something after the size of a body. That is an
	// error, but if the job is also too big, JOB_TOO_BIG is answered.
	Trailing bool
	Word     Word // the answer, if parsing already decides it

	ID              uint64
	Pri, Delay, TTR uint32 // Delay is also the length of a pause
	Size            uint32 // of a put's body
	N               uint32 // kick's bound, reserve's timeout
	Several         uint32 // how many jobs at most
	// Times that may have fractions, in nanoseconds. Delay and TTR have them in seconds, rounded up.
	ExactDelay, ExactTTR int64 // the former is also reserve-batch's timeout

	Name    []byte // borrowed from the line
	Onto    []byte // likewise
	Options Options
}

// Parse reads one line, without its CRLF.
func (g *Grammar) Parse(line []byte) (c Command) {
	if malformed(line) {
		c.Word = BadFormat
		return c
	}
	t, rest := g.match(line)
	if t == nil {
		c.Word = UnknownCommand
		return c
	}
	c.Verb = t.verb
	if t.spaced {
		rest = bytes.TrimRight(rest, " ")
	}
	a, inner := args{rest: rest}, false
	for _, k := range t.args {
		if k == noArg {
			break
		}
		a.read(k, &c)
		inner = inner || k == Inner
	}
	if c.Counts = !a.bad && len(a.rest) == 0; !c.Counts || inner && !queue.ValidName(c.Name) || c.Onto != nil &&
		!queue.ValidName(c.Onto) {
		c.Word = BadFormat
	}
	return c
}
