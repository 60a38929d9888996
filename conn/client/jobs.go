package client

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"time"
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

func (f Filter) options() (all options, err error) {
	all.add(f.Tube != "", "tube", f.Tube)
	var states []string
	for _, s := range f.States {
		states = append(states, string(s))
	}
	all.add(len(states) > 0, "state", strings.Join(states, ","))
	for name, d := range map[string]time.Duration{"older": f.OlderThan, "younger": f.YoungerThan} {
		if _, err := seconds(d); err != nil {
			return nil, err
		}
		all.add(d > 0, name, exactly(d))
	}
	all.tags(f.Tags)
	all.add(f.BodyContains != "", "body", f.BodyContains)
	all.add(f.Bodies != 0, "bodies", strconv.Itoa(f.Bodies))
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
				asked := options[:len(options):len(options)]
				asked.add(cursor != "", "cursor", cursor)
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
