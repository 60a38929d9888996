package command

import (
	"flag"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/shard/queue"
)

// usages writes out what tags have in short.
var usages = strings.NewReplacer("<", "`", ">", "`", "USUAL", usualConfig, "SERVERS",
	"HOST:PORT, beanstalk://HOST, beanstalks:// (TLS), unix:PATH, or a list A,B",
	"STATES", "ready, delayed, reserved, buried, with commas in between")

// bind makes a flag of every field with a tag flag, which has the name and the usage, with the word for the value
// in <>. Its default is what the field has.
func bind(f *flag.FlagSet, of reflect.Value) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		tag, isFlag := field.Tag.Lookup("flag")
		if field.Anonymous {
			bind(f, of.Field(i))
		}
		if !isFlag {
			continue
		}
		name, usage, _ := strings.Cut(tag, " ")
		usage = usages.Replace(usage)
		switch to := of.Field(i).Addr().Interface().(type) {
		case *bool:
			f.BoolVar(to, name, *to, usage)
		case *string:
			f.StringVar(to, name, *to, usage)
		case *int:
			f.IntVar(to, name, *to, usage)
		case *uint64:
			f.Uint64Var(to, name, *to, usage)
		case *time.Duration:
			f.Func(name, usage, func(text string) (err error) {
				*to, err = parseTime(text)
				return err
			})
		case interface{ Set(text string) error }:
			f.Func(name, usage, to.Set)
		}
		f.Lookup(name).DefValue = strings.ReplaceAll(strings.Trim(fmt.Sprint(of.Field(i)), "[]"), " ", ",")
	}
}

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

// tagList collects tags, as options of a command of the protocol.
type tagList []string

func (l *tagList) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("%q is not NAME=VALUE", text)
	}
	*l = append(*l, client.Option("tag."+name, value))
	return nil
}

// The states of a job, as stats-job names them.
const (
	ready    = "ready"
	delayed  = "delayed"
	buried   = "buried"
	reserved = "reserved"
)

var every = []string{ready, delayed, buried, reserved}

// stateList are the states of jobs that a command is for.
type stateList []string

func (l *stateList) Set(text string) error {
	*l = nil
	for _, s := range strings.Split(text, ",") {
		if !slices.Contains(every, s) || s == reserved {
			return usagef("%q is not a state: want ready, delayed or buried", s)
		}
		*l = append(*l, s)
	}
	return nil
}

// tubeName is a tube that a flag names. An empty name is refused, which a script may give by
// accident: it must not mean that there is no such flag.
type tubeName string

func (n *tubeName) Set(text string) error {
	*n = tubeName(text)
	return checkTubes(text)
}

// take takes the only word of a command line, if it is no number, for the tube. It does so always, so that what a
// script asks does not depend on which tubes there are.
func (n *tubeName) take(c *call) error {
	if len(c.words) != 1 || *n != "" || new(jobID).Set(c.words[0]) == nil {
		return nil
	}
	word := c.words[0]
	c.words = nil
	return n.Set(word)
}

// checkTubes refuses what no server takes for the name of a tube.
func checkTubes(names ...string) error {
	for _, name := range names {
		if !isTube(name) {
			return usagef("%q is not a name for a tube: up to 200 letters, digits and -+/;.$_(), not beginning with -", name)
		}
	}
	return nil
}

// isTube asks the server's own rule, which is beanstalkd's.
func isTube(name string) bool { return queue.ValidName([]byte(name)) }

// jobID is the id of a job that a command line names.
type jobID uint64

func (id *jobID) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return usagef("%q is not the id of a job", text)
	}
	*id = jobID(n)
	return nil
}

// ids reads the ids on a command line.
func ids(words []string) (all []uint64, err error) {
	if len(words) == 0 {
		return nil, usagef("name at least one job by its id")
	}
	for _, w := range words {
		var id jobID
		if err := id.Set(w); err != nil {
			return nil, err
		}
		all = append(all, uint64(id))
	}
	return all, nil
}

// idList shows ids as they were given.
func idList(ids []uint64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}
