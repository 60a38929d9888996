package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// extras are what only put-with can say about a job.
type extras struct {
	Unique     string        `flag:"unique put the job only if no other one in the tube has this <key>"`
	UniqueFor  time.Duration `flag:"unique-for keep the key for this <time>, also if the job ends earlier"`
	Once       string        `flag:"once <name> of this put: repeated within 5 minutes, it puts nothing twice"`
	Expire     time.Duration `flag:"expire delete the job when it is this <time> old"`
	Deliveries uint64        `flag:"deliveries <number> of deliveries before the job is a dead letter"`
	Tags       tagList       `flag:"tag <NAME=VALUE> to tag the job with; several times for several tags"`
}

// options are those of put-with, but for the name.
func (e *extras) options() (all []string) {
	add := func(given bool, name, value string) {
		if given {
			all = append(all, client.Option(name, value))
		}
	}
	add(e.Unique != "", "key", e.Unique)
	add(e.UniqueFor > 0, "key-for", optionTime(e.UniqueFor))
	add(e.Expire > 0, "expire", optionTime(e.Expire))
	add(e.Deliveries > 0, "deliveries", strconv.FormatUint(e.Deliveries, 10))
	return append(all, e.Tags...)
}

// given says whether there are any.
func (e *extras) given() bool { return e.Once != "" || len(e.options()) > 0 }

// optionTime is a time as an option has it: seconds with three digits behind a dot.
func optionTime(d time.Duration) string {
	return strconv.FormatFloat(max(d, time.Millisecond).Seconds(), 'f', 3, 64)
}

// known is an error if the server cannot do it: the bodies would be commands to it.
func (e *extras) known(s *client.Client) error {
	can, err := s.Can("put-with")
	if err == nil && !can {
		err = errors.New("the server does not have the command put-with, which -unique, -once, -expire, -deliveries " +
			"and -tag need")
	}
	return err
}

// longestLine is how long a line with options may be. The body behind a longer one would be commands.
const longestLine = 1024

// lineOf is the line that puts a job. of is its number if there are several, and 0 if it is alone: each
// has a name of its own.
func (e *extras) lineOf(t putOptions, size, of int) (string, error) {
	options := e.options()
	if e.Once != "" {
		name := e.Once
		if of > 0 {
			name += "." + strconv.Itoa(of)
		}
		options = append(options, client.Option("once", name))
	}
	line := strings.Join(append([]string{fmt.Sprintf("put-with %d pri=%d delay=%d ttr=%d", size, t.Pri, t.Delay,
		t.TTR)}, options...), " ")
	if len(line) > longestLine {
		return "", usagef("-unique, -once and -tag are too long together")
	}
	return line, nil
}
