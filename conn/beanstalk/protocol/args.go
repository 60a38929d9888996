package protocol

import (
	"bytes"
	"math"

	"beanfield/shard/queue"
)

// Arg is an argument of a command: how it is read, and where it goes.
type Arg uint8

const (
	noArg        Arg = iota
	ID               // of a job
	Pri              // a job's priority
	Delay            // in whole seconds; also the length of a pause
	TTR              // likewise
	Timeout          // likewise
	Size             // of the body that follows the line
	Length           // likewise, where options may stand between it and the end of the line
	Bound            // how many jobs at most
	Several          // how many jobs
	ExactDelay       // in seconds, with up to three digits behind a dot
	ExactTTR         // likewise
	ExactTimeout     // likewise
	Tube             // a tube's name, which is the rest of the line
	Inner            // a tube's name with more behind it: it is checked after all else
	Onto             // likewise that of another tube
	Token            // the rest of the line, if there is any
	Pairs            // options, which the command itself reads: the rest of the line
	Apart            // no argument: the word ends here, although its space is no part of it
	Any              // anything
)

// Bounds are the least and the most that a number may be, or a time in milliseconds.
type Bounds struct{ Least, Most uint64 }

// BoundsOf are those of arguments that are numbers or times.
var BoundsOf = [...]Bounds{
	ID: {0, math.MaxUint64}, Pri: AnyNumber, Delay: AnyNumber, TTR: AnyNumber, Timeout: {0, math.MaxInt32},
	Size: AnyNumber, Length: AnyNumber,
	Bound: AnyNumber, Several: {1, MostSeveral}, ExactDelay: AnyTime, ExactTTR: AnyTime, ExactTimeout: {0, MostTimeout},
}

// AnyNumber are the bounds of most numbers, AnyTime those of a job's times, and SomeTime of one that may not be 0.
var (
	AnyNumber = Bounds{0, math.MaxUint32}
	AnyTime   = Bounds{0, MostTime}
	SomeTime  = Bounds{1, MostTime}
)

// MostSeveral is how many jobs one command may ask for, MostTime how long a time may be in milliseconds, and
// MostTimeout that of a reserve.
const (
	MostSeveral = 1000
	MostTime    = math.MaxUint32 * 1000
	MostTimeout = math.MaxInt32 * 1000
)

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
	case Timeout:
		c.N = uint32(a.number(BoundsOf[k].Most))
	case ExactDelay:
		c.ExactDelay = a.time(BoundsOf[k])
		c.Delay = wholeSeconds(c.ExactDelay)
	case ExactTTR:
		c.ExactTTR = a.time(BoundsOf[k])
		c.TTR = wholeSeconds(c.ExactTTR)
	case ExactTimeout:
		c.ExactDelay = a.time(BoundsOf[k])
	case Size:
		c.Size = a.u32()
		c.Trailing = len(a.rest) > 0
		a.rest = nil
	case Length:
		c.Size = a.u32()
		a.bad = a.bad || len(a.rest) > 0 && a.rest[0] != ' '
	case Pairs:
		c.Options, a.rest = Options(a.rest), nil
	case Bound:
		c.N = a.u32()
	case Several:
		c.Several = uint32(a.number(BoundsOf[k].Most))
		a.bad = a.bad || uint64(c.Several) < BoundsOf[k].Least
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

// time reads seconds, of which there may be up to three digits behind a dot, as nanoseconds.
func (a *args) time(within Bounds) int64 {
	ms, ok := Seconds(a.word())
	a.bad = a.bad || !ok || ms < within.Least || ms > within.Most
	return int64(ms) * millisecond
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
