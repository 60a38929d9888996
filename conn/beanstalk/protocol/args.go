package protocol

import (
	"bytes"
	"math"

	"beanfield/shard/queue"
)

// Arg is an argument of a command: how it is read, and where it goes.
type Arg uint8

const (
	noArg   Arg = iota
	ID          // of a job
	Pri         // a job's priority
	Delay       // in seconds; also the length of a pause
	TTR         // likewise
	Size        // of the body that follows the line
	Length      // likewise, where options may stand between it and the end of the line
	Bound       // how many jobs at most
	Several     // how many jobs, from 1 to MostSeveral
	Timeout     // in seconds; one bit less than other numbers
	Tube        // a tube's name, which is the rest of the line
	Inner       // a tube's name with more behind it: it is checked after all else
	Onto        // likewise that of another tube
	Token       // the rest of the line, if there is any
	Pairs       // options, which the command itself reads: the rest of the line
	Apart       // no argument: the word ends here, although its space is no part of it
	Any         // anything
)

// MostSeveral is how many jobs one command may ask for.
const MostSeveral = 1000

// args reads what follows a command's word. After a mistake bad is set, and stays set.
type args struct {
	rest []byte
	bad  bool
}

// read reads one argument into c.
func (a *args) read(k Arg, c *Command) {
	switch k {
	case ID:
		c.ID = a.number(math.MaxUint64)
	case Pri:
		c.Pri = a.u32()
	case Delay:
		c.Delay = a.u32()
	case TTR:
		c.TTR = a.u32()
	case Size:
		c.Size = a.u32()
		c.Trailing = len(a.rest) > 0
		a.rest = nil
	case Length:
		c.Size = a.u32()
	case Pairs:
		c.Options, a.rest = Options(a.rest), nil
	case Bound:
		c.N = a.u32()
	case Several:
		c.Several = uint32(a.number(MostSeveral))
		a.bad = a.bad || c.Several == 0
	case Timeout:
		c.N = uint32(a.number(math.MaxInt32))
	case Tube:
		c.Name, a.rest = a.rest, nil
		a.bad = !queue.ValidName(c.Name)
	case Inner:
		c.Name = a.nameChars()
	case Onto:
		c.Onto = a.nameChars()
	case Token:
		c.Name, a.rest = a.rest, nil
		a.bad = len(c.Name) == 0
	case Any:
		a.rest = nil
	}
}

func (a *args) skipSpaces() {
	for len(a.rest) > 0 && a.rest[0] == ' ' {
		a.rest = a.rest[1:]
	}
}

func (a *args) u32() uint32 { return uint32(a.number(math.MaxUint32)) }

// number reads a plain decimal number after any number of spaces.
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

// word reads what stands before the next space, after any number of them.
func (a *args) word() []byte {
	a.skipSpaces()
	end := bytes.IndexByte(a.rest, ' ')
	if end < 0 {
		end = len(a.rest)
	}
	word := a.rest[:end]
	a.rest = a.rest[end:]
	return word
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
