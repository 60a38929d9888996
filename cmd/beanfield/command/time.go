package command

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// parseTime reads a time as every command does: seconds, or a number with a unit.
func parseTime(text string) (time.Duration, error) {
	given := text
	if text != "" && strings.Trim(text, "0123456789.") == "" {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a time: want seconds, or a number with a unit, such as 5m", given)
	}
	return d, nil
}

// seconds is a time as the protocol has it. A part of a second counts as a whole one.
type seconds uint

func (s *seconds) String() string { return fmt.Sprint(uint(*s)) }

func (s *seconds) Set(text string) error {
	d, err := parseTime(text)
	if err != nil {
		return err
	}
	*s = seconds((d + time.Second - 1) / time.Second)
	if *s > math.MaxUint32 {
		return fmt.Errorf("%q is too long: at most %d seconds", text, uint32(math.MaxUint32))
	}
	return nil
}

// span is a flag for a time that need not be whole seconds.
type span struct{ d *time.Duration }

// spanned gives the time its default.
func spanned(d *time.Duration, initial time.Duration) span {
	*d = initial
	return span{d}
}

func (s span) String() string {
	if s.d == nil {
		return "" // the flag package asks a span of its own making
	}
	return s.d.String()
}

func (s span) Set(text string) (err error) {
	*s.d, err = parseTime(text)
	return err
}
