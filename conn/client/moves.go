package client

import (
	"context"
	"fmt"
	"strings"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// MoveJobs moves the jobs that a filter chooses, and nobody holds, from its Tube to another one. They
// become Ready or Buried there or, with "", are what they were. It returns how many were moved, and how
// many had to stay, such as those for which the other tube has no room. It goes page by page, and ends
// early if all jobs of a page have to stay; after an error the numbers are what is known. A beanstalkd
// cannot do it.
func (c *Conn) MoveJobs(ctx context.Context, f Filter, to string, as State) (moved, stayed int, _ error) {
	var options []string
	switch as {
	case "":
	case Ready, Buried:
		options = []string{wire.Option("as", string(as))}
	default:
		return 0, 0, fmt.Errorf("%w: jobs cannot be moved to be %s", ErrInvalid, as)
	}
	if err := checkTube(to); err != nil {
		return 0, 0, err
	}
	return c.alter(ctx, f, "MOVED", "move-jobs", to, options)
}

// Change is what ChangeJobs changes: what is not nil. Times are exact to a millisecond.
type Change struct {
	Priority *uint32
	Delay    *time.Duration // from now; 0: ready at once. Buried jobs have none, and stay as they are.
	TTR      *time.Duration
}

// ChangeJobs changes the jobs of the filter's Tube that the filter chooses, and nobody holds. It returns
// how many were changed, and how many could not be, as MoveJobs does.
func (c *Conn) ChangeJobs(ctx context.Context, f Filter, change Change) (changed, unchanged int, _ error) {
	var options []string
	if change.Priority != nil {
		options = append(options, fmt.Sprintf("pri=%d", *change.Priority))
	}
	for name, d := range map[string]*time.Duration{"delay": change.Delay, "ttr": change.TTR} {
		if d == nil {
			continue
		}
		if _, err := seconds(*d); err != nil {
			return 0, 0, err
		}
		options = append(options, name+"="+exactly(*d))
	}
	if len(options) == 0 {
		return 0, 0, fmt.Errorf("%w: there is nothing to change", ErrInvalid)
	}
	return c.alter(ctx, f, "CHANGED", "change-jobs", "", options)
}

// alter sends a command of the two until there are no more jobs, or nothing goes any more.
func (c *Conn) alter(ctx context.Context, f Filter, want, command, to string,
	options []string) (did, not int, _ error) {
	if err := checkTube(f.Tube); err != nil {
		return 0, 0, err
	}
	if f.Bodies != 0 {
		return 0, 0, fmt.Errorf("%w: %s shows no bodies", ErrInvalid, command)
	}
	words := []string{command, f.Tube}
	if to != "" {
		words = append(words, to)
	}
	f.Tube = ""
	which, err := f.options()
	if err != nil {
		return 0, 0, err
	}
	words = append(append(words, which...), options...)
	for cursor := ""; ; {
		line := strings.Join(words, " ")
		if cursor != "" {
			line += " " + wire.Option("cursor", cursor)
		}
		var n, stayed uint64
		err := c.with(ctx, func(l *link) (err error) {
			if err = l.needs(command); err == nil {
				n, stayed, cursor, err = l.wire.Alter(want, line)
			}
			return err
		})
		did, not = did+int(n), not+int(stayed)
		if err != nil || cursor == "" || n == 0 && stayed > 0 {
			return did, not, err
		}
	}
}
