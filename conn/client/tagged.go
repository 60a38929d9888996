package client

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	wire "beanfield/conn/beanstalk/client"
)

// ReserveTagged is ReserveBatch for jobs that have all of these tags; without any, for all jobs. It tells
// Tube, Reserves and Tags of each. A beanstalkd cannot do it.
func (c *Conn) ReserveTagged(ctx context.Context, tags map[string]string, most int, wait time.Duration,
	tubes ...string) ([]*Job, error) {
	if err := checkMost(most); err != nil {
		return nil, err
	}
	options := ""
	for name, value := range tags {
		options += " " + wire.Option("tag."+name, value)
	}
	return c.reserve(ctx, wait, tubes, func(l *link, wait time.Duration) ([]wire.Reply, error) {
		if err := l.needs("reserve-with"); err != nil {
			return nil, err
		}
		return l.reserveWith(ctx, wait, most, options)
	})
}

// told reads what reserve-with tells of a job, behind its size. What is not known is skipped.
func (j *Job) told(line string) {
	words := strings.Fields(line)
	for _, word := range words[min(len(words), 3):] {
		name, value, _ := strings.Cut(word, "=")
		tag, isTag := strings.CutPrefix(plain(name), "tag.")
		switch {
		case name == "tube":
			j.Tube = plain(value)
		case name == "reserves":
			j.Reserves, _ = strconv.Atoi(value) // the server writes a number
		case isTag:
			if j.Tags == nil {
				j.Tags = map[string]string{}
			}
			j.Tags[tag] = plain(value)
		}
	}
}

// plain is a text in which bytes may be written as %XX.
func plain(text string) string {
	if s, err := url.PathUnescape(text); err == nil {
		return s
	}
	return text
}
