package jetstream

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// A cluster's first streams are its generation 0. When it gets another number of shards, its jobs begin new logs, whose
// streams are the next generation. No name is used again: a request to remove a stream may be late.

// streamsOf begins the names of a generation's streams. No cluster's name has a +.
func streamsOf(cluster string, generation int) string {
	if generation == 0 {
		return "beanfield-" + cluster
	}
	return fmt.Sprintf("beanfield-%s+%d", cluster, generation)
}

// subjectOf begins their subjects.
func subjectOf(cluster string, generation int) string {
	if generation == 0 {
		return "beanfield." + cluster
	}
	return fmt.Sprintf("beanfield.%s.%d", cluster, generation)
}

// generationOf is that of a cluster's stream, and whether it is the one that is made first.
func generationOf(cluster, stream string) (generation int, first, ok bool) {
	rest, ok := strings.CutPrefix(stream, streamsOf(cluster, 0))
	after, later := strings.CutPrefix(rest, "+")
	if later {
		text, lane, _ := strings.Cut(after, "-")
		n, err := strconv.Atoi(text)
		generation, rest, ok = n, "-"+lane, ok && err == nil && n > 0
	}
	shard, lane, _ := strings.Cut(strings.TrimPrefix(rest, "-"), "-")
	i, err := strconv.Atoi(shard)
	return generation, rest == "-0-0", ok && rest == fmt.Sprintf("-%d-%s", i, lane) && err == nil && len(lane) == 1
}

// Newest finds the newest generation of a cluster's streams; 0 if it has none. A generation is there from when its
// first stream is. older are the streams of those before it.
func Newest(ctx context.Context, nc *nats.Conn, cluster string) (generation int, older []string, err error) {
	var all []string
	for s := (&Shard{nc: nc}); ; {
		var page struct {
			Total   int      `json:"total"`
			Streams []string `json:"streams"`
		}
		err := s.ask(ctx, "STREAM.NAMES", map[string]any{"subject": subjectOf(cluster, 0) + ".>", "offset": len(all)}, &page)
		if err != nil {
			return 0, nil, err
		}
		if all = append(all, page.Streams...); len(all) >= page.Total || len(page.Streams) == 0 {
			break
		}
	}
	for _, name := range all {
		if g, first, ok := generationOf(cluster, name); ok && first {
			generation = max(generation, g)
		}
	}
	for _, name := range all {
		if g, _, ok := generationOf(cluster, name); ok && g < generation {
			older = append(older, name)
		}
	}
	return generation, older, nil
}

// Remove removes streams. What is gone already is no error.
func Remove(ctx context.Context, nc *nats.Conn, streams []string) error {
	s := &Shard{nc: nc}
	for _, name := range streams {
		var answer struct{}
		if err := s.ask(ctx, "STREAM.DELETE."+name, nil, &answer); err != nil && !coded(err, codeNoStream) {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	return nil
}
