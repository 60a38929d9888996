package protocol

import "math"

// Options are the name=value pairs at the end of a line, each after spaces; borrowed from it. They
// may come in any order. A value has no spaces: %20 is one, as %XX is any byte.
type Options []byte

// Next cuts off the first option. ok is not set if there is none, or if it is malformed: then
// something is left.
func (o *Options) Next() (name, value []byte, ok bool) {
	rest := *o
	for len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	if spaces := len(*o) - len(rest); len(rest) == 0 {
		*o = nil
		return nil, nil, false
	} else if spaces == 0 {
		return nil, nil, false
	}
	end, equals := 0, -1
	for end < len(rest) && rest[end] != ' ' {
		if rest[end] == '=' && equals < 0 {
			equals = end
		}
		end++
	}
	if equals < 1 {
		return nil, nil, false
	}
	*o = rest[end:]
	return rest[:equals], rest[equals+1 : end], true
}

// Option is an option that a command knows, by its name, and what takes its value and says whether
// it may be so. A name that ends with a dot is the beginning of many, such as tag.colour: set is told
// the rest of it.
type Option[T any] struct {
	Name    string
	Bounds  Bounds // of a number or a time; zero for a text
	Seconds bool   // it is a time, and Bounds has milliseconds
	Set     func(to *T, rest, value []byte) bool
}

// NumberOption is an option whose value is a number.
func NumberOption[T any](name string, within Bounds, set func(to *T, n uint64)) Option[T] {
	return Option[T]{Name: name, Bounds: within, Set: func(to *T, _, value []byte) bool {
		n, ok := Number(value, within.Most)
		set(to, n)
		return ok && n >= within.Least
	}}
}

// TimeOption is one whose value is a time in seconds. set is told it in nanoseconds.
func TimeOption[T any](name string, within Bounds, set func(to *T, ns int64)) Option[T] {
	return Option[T]{Name: name, Bounds: within, Seconds: true, Set: func(to *T, _, value []byte) bool {
		a := args{rest: value}
		set(to, a.time(within))
		return !a.bad && len(a.rest) == 0
	}}
}

// Read has all options set in to. It reports false at the first that is malformed, that nobody knows,
// that comes twice, or that may not have its value. Of names that end with a dot, set itself refuses
// those that come twice.
func Read[T any](o Options, known []Option[T], to *T) bool {
	seen := uint64(0) // no command knows more than 64
	for {
		name, value, ok := o.Next()
		if !ok {
			return len(o) == 0
		}
		i, rest := find(known, name)
		if i < 0 {
			return false
		}
		if k := &known[i]; k.Name[len(k.Name)-1] != '.' {
			if seen&(1<<i) != 0 {
				return false
			}
			seen |= 1 << i
		}
		if !known[i].Set(to, rest, value) {
			return false
		}
	}
}

func find[T any](known []Option[T], name []byte) (i int, rest []byte) {
	for i := range known {
		k := known[i].Name
		switch {
		case string(name) == k && k[len(k)-1] != '.':
			return i, nil
		case k[len(k)-1] == '.' && len(name) > len(k) && string(name[:len(k)]) == k:
			return i, name[len(k):]
		}
	}
	return -1, nil
}

// Number reads a plain decimal number, as in the rest of a line.
func Number(value []byte, limit uint64) (n uint64, ok bool) {
	a := args{rest: value}
	if len(value) > 0 && value[0] == ' ' {
		return 0, false
	}
	n = a.number(limit)
	return n, !a.bad && len(a.rest) == 0
}

// Seconds reads a time in seconds, of which there may be up to three digits behind a dot, as
// milliseconds.
func Seconds(value []byte) (ms uint64, ok bool) {
	whole, fraction := value, []byte(nil)
	for i, b := range value {
		if b == '.' {
			whole, fraction = value[:i], value[i+1:]
			if len(fraction) == 0 || len(fraction) > 3 {
				return 0, false
			}
			break
		}
	}
	n, ok := Number(whole, math.MaxUint32)
	if !ok {
		return 0, false
	}
	ms = 1000 * n
	for i, scale := 0, uint64(100); i < len(fraction); i, scale = i+1, scale/10 {
		d := uint64(fraction[i] - '0')
		if d > 9 {
			return 0, false
		}
		ms += d * scale
	}
	return ms, true
}

// Unescape appends a value with each %XX made the byte that it stands for. ok is not set if a % is
// followed by anything else.
func Unescape(dst, value []byte) (_ []byte, ok bool) {
	for i := 0; i < len(value); i++ {
		if value[i] != '%' {
			dst = append(dst, value[i])
			continue
		}
		if i+2 >= len(value) {
			return dst, false
		}
		high, low := nibble(value[i+1]), nibble(value[i+2])
		if high > 15 || low > 15 {
			return dst, false
		}
		dst = append(dst, high<<4|low)
		i += 2
	}
	return dst, true
}

func nibble(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10
	}
	return 255
}

// Escape appends bytes as a value of an option.
func Escape[T string | []byte](dst []byte, value T) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(value) {
		if b := value[i]; b > ' ' && b < 127 && b != '%' {
			dst = append(dst, b)
		} else {
			dst = append(dst, '%', digits[b>>4], digits[b&15])
		}
	}
	return dst
}
