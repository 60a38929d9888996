package beanstalk

import (
	"bytes"
	"math"

	"beanfield/shard/queue"
)

// maxLine is how long a command line may be, without its CRLF.
const maxLine = 222

type lineState uint8

const (
	lineComplete lineState = iota
	lineIncomplete
	lineTooLong
)

// nextLine finds the next line; only CRLF ends one.
func nextLine(data []byte) (line, rest []byte, _ lineState) {
	window := data[:min(len(data), maxLine+2)]
	for from := 0; ; {
		i := bytes.IndexByte(window[from:], '\n')
		if i < 0 {
			break
		}
		if i += from; i > 0 && window[i-1] == '\r' {
			return data[:i-1], data[i+1:], lineComplete
		}
		from = i + 1
	}
	if len(window) == maxLine+2 {
		return nil, nil, lineTooLong
	}
	return nil, nil, lineIncomplete
}

// command is a parsed line.
type command struct {
	verb verb
	// counts is false only for a line that is so malformed that stats do not count
	// it.
	counts bool
	word   word // the answer, if parsing already decides it
	// trailing marks a put line with something after its last number. That is an
	// error, but if the job is also too big, JOB_TOO_BIG is answered.
	trailing bool

	id              uint64
	pri, delay, ttr uint32 // delay is also the length of a pause
	size            uint32 // of a put's body
	n               uint32 // kick's bound, reserve's timeout
	name            []byte // borrowed from the line
}

// parse reads one line, without its CRLF.
func parse(line []byte) (c command) {
	if bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(line, '\r') >= 0 {
		c.word = badFormat
		return c
	}
	var rest []byte
	c.verb, rest = match(line)
	a := args{rest: rest}
	switch c.verb {
	case verbNone:
		c.word = unknownCommand
		return c
	case verbPut:
		c.pri, c.delay, c.ttr, c.size = a.u32(), a.u32(), a.u32(), a.u32()
		c.trailing = len(a.rest) > 0
		a.rest = nil
	case verbPeek, verbDelete, verbTouch, verbReserveJob, verbKickJob, verbStatsJob:
		c.id = a.u64()
	case verbRelease:
		c.id, c.pri, c.delay = a.u64(), a.u32(), a.u32()
	case verbBury:
		c.id, c.pri = a.u64(), a.u32()
	case verbKick:
		c.n = a.u32()
	case verbReserveTimeout:
		if c.n = a.u32(); c.n > math.MaxInt32 {
			a.bad = true
		}
	case verbUse, verbWatch, verbIgnore, verbStatsTube:
		c.name, a.rest = a.rest, nil
		a.bad = !queue.ValidName(c.name)
	case verbAuth:
		c.name, a.rest = a.rest, nil
		a.bad = len(c.name) == 0
	case verbPauseTube:
		return parsePause(c, a)
	case verbQuit:
		if len(rest) > 0 && rest[0] != ' ' {
			return command{word: unknownCommand}
		}
		a.rest = nil
	}
	c.finish(&a)
	return c
}

// parsePause reads the one command whose name stands in the middle, and which
// counts as soon as its shape is right, whatever its name.
func parsePause(c command, a args) command {
	if len(a.rest) > 0 && a.rest[0] != ' ' {
		return command{word: unknownCommand}
	}
	c.name = a.nameChars()
	c.delay = a.u32()
	c.finish(&a)
	if c.counts && !queue.ValidName(c.name) {
		c.word = badFormat
	}
	return c
}

func (c *command) finish(a *args) {
	c.counts = !a.bad && len(a.rest) == 0
	if !c.counts {
		c.word = badFormat
	}
}

// args reads what follows a verb. After a mistake bad is set, and stays set.
type args struct {
	rest []byte
	bad  bool
}

func (a *args) skipSpaces() {
	for len(a.rest) > 0 && a.rest[0] == ' ' {
		a.rest = a.rest[1:]
	}
}

// u64 reads a plain decimal number after any number of spaces.
func (a *args) u64() uint64 { return a.number(math.MaxUint64) }

func (a *args) u32() uint32 { return uint32(a.number(math.MaxUint32)) }

func (a *args) number(limit uint64) uint64 {
	if a.bad {
		return 0
	}
	a.skipSpaces()
	var n uint64
	i := 0
	for ; i < len(a.rest); i++ {
		d := uint64(a.rest[i] - '0')
		if d > 9 {
			break
		}
		if n > (limit-d)/10 {
			a.bad = true
			return 0
		}
		n = n*10 + d
	}
	if i == 0 {
		a.bad = true
	}
	a.rest = a.rest[i:]
	return n
}

// nameChars reads the characters that a name may have.
func (a *args) nameChars() []byte {
	a.skipSpaces()
	i := 0
	for i < len(a.rest) && queue.NameByte[a.rest[i]] {
		i++
	}
	if i == 0 {
		a.bad = true
	}
	name := a.rest[:i]
	a.rest = a.rest[i:]
	return name
}
