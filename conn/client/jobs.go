package client

import (
	"context"
	"iter"
	"strconv"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// Filter says which jobs are wanted. The zero Filter is for all that the client may see.
type Filter struct {
	Tube         string
	States       []State
	OlderThan    time.Duration
	YoungerThan  time.Duration
	Tags         map[string]string
	BodyContains string
	Bodies       int // show the first so many bytes of each body, up to 4096
}

func (f Filter) options() (all []string, err error) {
	add := func(given bool, name, value string) {
		if given {
			all = append(all, wire.Option(name, value))
		}
	}
	add(f.Tube != "", "tube", f.Tube)
	states := ""
	for i, s := range f.States {
		if i > 0 {
			states += ","
		}
		states += string(s)
	}
	add(states != "", "state", states)
	for name, d := range map[string]time.Duration{"older": f.OlderThan, "younger": f.YoungerThan} {
		if _, err := seconds(d); err != nil {
			return nil, err
		}
		add(d > 0, name, exactly(d))
	}
	for name, value := range f.Tags {
		add(true, "tag."+name, value)
	}
	add(f.BodyContains != "", "body", f.BodyContains)
	add(f.Bodies != 0, "bodies", strconv.Itoa(f.Bodies))
	return all, nil
}

// Jobs are the jobs that a filter chooses, in no particular order. An error is the last
// thing that comes. The server is asked page by page, and other calls of the Conn may come in
// between. A beanstalkd cannot do it.
func (c *Conn) Jobs(ctx context.Context, f Filter) iter.Seq2[ListedJob, error] {
	return func(yield func(ListedJob, error) bool) {
		options, err := f.options()
		for cursor, more := "", err == nil; more; more = cursor != "" {
			var page []ListedJob
			err = c.with(ctx, func(l *link) (err error) {
				if err = l.needs("list-jobs"); err != nil {
					return err
				}
				asked := options
				if cursor != "" {
					asked = append(options[:len(options):len(options)], wire.Option("cursor", cursor))
				}
				page, cursor, err = l.wire.ListJobs(asked...)
				return err
			})
			if err != nil {
				break
			}
			for _, j := range page {
				if !yield(j, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(ListedJob{}, err)
		}
	}
}
