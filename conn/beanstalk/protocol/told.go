package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// argNames are what arguments are called.
var argNames = [...]string{ID: "id", Pri: "pri", Delay: "delay", TTR: "ttr", Timeout: "seconds", Size: "bytes",
	Length: "bytes", Bound: "bound",
	Several: "size", ExactDelay: "delay", ExactTTR: "ttr", ExactTimeout: "timeout", Tube: "tube", Inner: "tube",
	Onto: "to", Token: "token", Any: ""}

// Name is what an argument is called; "" if there is none.
func (k Arg) Name() string { return argNames[k] }

// ArgsOf reads arguments as people are told of them: "<id>" and so on. Times that are exact may have fractions; if
// the word is apart, its space is no part of it; and options may follow.
func ArgsOf(names []string, apart, exact, options bool) (args Args) {
	all := args[:0]
	if apart || options && len(names) == 0 {
		all = append(all, Apart)
	}
	for i, name := range names {
		arg, followed := Arg(slices.Index(argNames[:], strings.Trim(name, "<>"))), options || i < len(names)-1
		switch {
		case arg == Size && followed:
			arg = Length
		case arg == Tube && followed:
			arg = Inner
		case arg == Delay && exact:
			arg = ExactDelay
		case arg == TTR && exact:
			arg = ExactTTR
		}
		all = append(all, arg)
	}
	switch {
	case options:
		_ = append(all, Pairs)
	case apart && len(names) == 0:
		_ = append(all, Any)
	}
	return args
}

// Allowed says what an argument may be.
func (k Arg) Allowed() string {
	switch k {
	case Tube, Inner, Onto:
		return "a tube's name: up to 200 of A-Z a-z 0-9 - + / ; . $ _ ( ), of which - is not the first"
	case Token:
		return "what beanfield token has printed"
	case Pri:
		return BoundsOf[k].number() + "; the smallest is the most urgent"
	case Delay, TTR, Timeout:
		return "seconds, " + BoundsOf[k].number()
	case ExactDelay, ExactTTR, ExactTimeout:
		return BoundsOf[k].seconds()
	}
	if k.Name() == "" {
		return ""
	}
	return BoundsOf[k].number()
}

func (b Bounds) number() string { return fmt.Sprintf("%d to %d", b.Least, b.Most) }

// seconds are bounds in milliseconds.
func (b Bounds) seconds() string {
	text := func(ms uint64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) }
	return "seconds, " + text(b.Least) + " to " + text(b.Most) + ", with up to three digits behind a dot"
}

// Told is an option, and what it may be.
type Told struct{ Name, Allowed string }

// Describe tells people of options.
func Describe[T any](known []Option[T]) (all []Told) {
	for i := range known {
		o := &known[i]
		name := o.Name
		if name[len(name)-1] == '.' {
			name += "NAME"
		}
		switch {
		case o.Bounds == (Bounds{}):
			all = append(all, Told{name, "text"})
		case o.Seconds:
			all = append(all, Told{name, o.Bounds.seconds()})
		default:
			all = append(all, Told{name, o.Bounds.number()})
		}
	}
	return all
}

// PutOptions are those of put-with, ReserveOptions those of reserve-with.
func PutOptions() []Told     { return Describe(putOptions) }
func ReserveOptions() []Told { return Describe(reserveOptions) }
