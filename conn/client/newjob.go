package client

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

const (
	defaultTube = "default"
	defaultTTR  = time.Minute
	mostName    = 200  // bytes of a tube's name
	mostLine    = 1024 // bytes of a line with options
)

// NewJob is a job to put. The zero NewJob is an empty one for the tube "default".
type NewJob struct {
	Tube     string // "": default
	Body     []byte
	Priority uint32        // smaller ones are served first; 0 is the most urgent
	Delay    time.Duration // until it becomes ready
	TTR      time.Duration // how long a worker may take; 0: a minute

	// Delay and TTR are exact to a millisecond at a beanfield, and rounded up to seconds at a
	// beanstalkd. What follows is for a beanfield alone: a put with any of it is ErrUnsupported at a
	// server that cannot keep it (see the manual: beanfield help puts).

	Key        string        // no other job of the tube gets this key while this one lives
	KeyFor     time.Duration // nor for so long from now, also if this job has ended
	Once       string        // the name of this put: sent again within 5 minutes, it makes no second job
	Expire     time.Duration // how old it may get
	Deliveries uint32        // how often it is delivered before it is a dead letter; 0: the tube's policy says
	Tags       map[string]string

	// Wait is how long Put waits for room if the tube or the server is full; after that, the error is
	// ErrNoRoom. If the context ends earlier, the wait is called off. Pipelines and batches cannot wait.
	Wait time.Duration
}

// filled is the job with its defaults, or what is wrong with it.
func (j NewJob) filled() (NewJob, error) {
	if j.Tube == "" {
		j.Tube = defaultTube
	}
	if j.TTR == 0 {
		j.TTR = defaultTTR
	}
	for _, d := range []time.Duration{j.Delay, j.TTR, j.KeyFor, j.Expire, j.Wait} {
		if _, err := seconds(d); err != nil {
			return j, err
		}
	}
	return j, checkTube(j.Tube)
}

// line is the command that puts the job, without its size. It may have to ask for the tube before:
// quiet is called first then, and all replies must have been read when it returns. j is filled.
func (j NewJob) line(l *link, quiet func() error) (string, error) {
	options := j.options()
	switch exact := wholeSeconds(j.Delay) && wholeSeconds(j.TTR); {
	case len(options) > 0 && !l.can["put-with"]:
		return "", l.needs("put-with")
	case len(options) > 0, !exact && l.can["put-with"]:
		return j.lineWith(options)
	}
	delay, _ := seconds(j.Delay) // filled has asked
	ttr, _ := seconds(j.TTR)
	if j.Tube != l.used && l.can["put-in-tube"] {
		return fmt.Sprintf("put-in-tube %s %d %d %d %d", j.Tube, j.Priority, delay, ttr, len(j.Body)), nil
	}
	if j.Tube != l.used {
		if err := quiet(); err != nil {
			return "", err
		}
		if err := l.use(j.Tube); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("put %d %d %d %d", j.Priority, delay, ttr, len(j.Body)), nil
}

// lineWith is a line with options. One that is too long would have its body read as commands.
func (j NewJob) lineWith(options []string) (string, error) {
	all := append([]string{"put-with", strconv.Itoa(len(j.Body)), "tube=" + j.Tube, fmt.Sprintf("pri=%d", j.Priority),
		"delay=" + exactly(j.Delay), "ttr=" + exactly(j.TTR)}, options...)
	line := strings.Join(all, " ")
	if len(line) > mostLine {
		return "", fmt.Errorf("%w: the job's key, name and tags are too long together", ErrInvalid)
	}
	return line, nil
}

func (j NewJob) options() (all options) {
	all.add(j.Key != "", "key", j.Key)
	all.add(j.KeyFor > 0, "key-for", exactly(j.KeyFor))
	all.add(j.Once != "", "once", j.Once)
	all.add(j.Expire > 0, "expire", exactly(j.Expire))
	all.add(j.Deliveries > 0, "deliveries", strconv.FormatUint(uint64(j.Deliveries), 10))
	all.add(j.Wait > 0, "wait", exactly(j.Wait))
	all.tags(j.Tags)
	return all
}

// options are those of a command.
type options []string

func (o *options) add(given bool, name, value string) {
	if given {
		*o = append(*o, wire.Option(name, value))
	}
}

func (o *options) tags(tags map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		o.add(true, "tag."+name, tags[name])
	}
}

// seconds rounds up to the seconds of the protocol.
func seconds(d time.Duration) (uint32, error) {
	if d < 0 || d > math.MaxUint32*time.Second {
		return 0, fmt.Errorf("%w: a job cannot have the time %v", ErrInvalid, d)
	}
	return uint32((d + time.Second - 1) / time.Second), nil
}

func wholeSeconds(d time.Duration) bool { return d%time.Second == 0 }

// exactly is a time as an option has it, rounded up to milliseconds.
func exactly(d time.Duration) string {
	ms := (d + time.Millisecond - 1) / time.Millisecond
	if ms%1000 == 0 {
		return strconv.FormatInt(int64(ms/1000), 10)
	}
	return fmt.Sprintf("%d.%03d", ms/1000, ms%1000)
}

const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+/;.$_()"

// checkTube refuses what no server takes for the name of a tube.
func checkTube(name string) error {
	if name == "" || len(name) > mostName || name[0] == '-' || strings.Trim(name, nameBytes) != "" {
		return fmt.Errorf("%w: %.60q is not a name for a tube: up to %d letters, digits and -+/;.$_(), not "+
			"beginning with -", ErrInvalid, name, mostName)
	}
	return nil
}
