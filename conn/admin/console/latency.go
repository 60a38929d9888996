package console

import (
	"net/http"

	"beanfield/storage/tally"
)

// latencyAnswer is how long things have taken since the start, as a histogram of each: pairs
// of a bucket's number and how many were in it. Bucket 0 ends at 2^-20 seconds, and each of
// the others at 2^(1/4) times the bound before it (package tally).
type latencyAnswer struct {
	At       int64                  `json:"at"`
	Commands map[string][][2]uint64 `json:"commands"` // a sample of the commands
	Commits  [][2]uint64            `json:"commits"`  // of groups of turns to the logs
}

func (c *Console) latency(r *http.Request) (any, error) {
	if !whole(c.opts.May(r).Subject) {
		return nil, forbidden
	}
	s, err := c.census.take(r.Context())
	if err != nil {
		return nil, err
	}
	a := &latencyAnswer{At: s.at.UnixMilli(), Commands: map[string][][2]uint64{}}
	for name, reading := range c.opts.Latency() {
		if pairs := filled(reading); len(pairs) > 0 {
			a.Commands[name] = pairs
		}
	}
	var commits tally.Reading
	for i := range s.shards {
		commits.Add(&s.shards[i].LogMore.Commits)
	}
	a.Commits = filled(&commits)
	return a, nil
}

// filled are the buckets that have something.
func filled(r *tally.Reading) (pairs [][2]uint64) {
	for i, n := range r.Counts {
		if n > 0 {
			pairs = append(pairs, [2]uint64{uint64(i), n})
		}
	}
	return pairs
}
