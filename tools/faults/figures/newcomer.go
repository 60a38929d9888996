package figures

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/nodes"
)

// newcomer has a node begin anew with an empty directory.
func newcomer(ctx context.Context, o Options) error {
	if o.Jobs == 0 {
		return errNoJobs
	}
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	s.wide = true
	if err := s.fill(ctx, o); err != nil {
		return err
	}
	for n := range o.Times {
		owner, err := s.well(ctx, o.Calm)
		if err != nil {
			return err
		}
		if err := s.arrival(ctx, o, n, s.other(owner)); err != nil {
			return err
		}
	}
	return s.Stop()
}

// arrival has one node lose its disk, and watches it come back.
func (s *site) arrival(ctx context.Context, o Options, n int, node *nodes.Node) error {
	w := s.watch(ctx, o.Body)
	defer w.stop()
	node.Kill()
	if err := node.Lose(); err != nil {
		return err
	}
	time.Sleep(settles)
	usual := w.longest()
	before, err := os.Stat(node.Log())
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := node.Start(); err != nil {
		return err
	}
	if _, err := s.caughtUp(ctx, node); err != nil {
		return err
	}
	took := time.Since(begun)
	gap := w.longest()
	text, err := os.ReadFile(node.Log())
	if err != nil {
		return err
	}
	bytes, moving := shipments(string(text[before.Size():]))
	o.say("%d: node %s came with an empty directory to %d jobs, and could serve after %.1fs; %.1f MB were brought to it in %.1fs, %.0f MB/s; the longest time between acknowledged puts was %v (before: %v)",
		n+1, node.Name, o.Jobs, took.Seconds(), float64(bytes)/1e6, moving.Seconds(), float64(bytes)/1e6/moving.Seconds(), tenths(gap), tenths(usual))
	return nil
}

// shipments finds in a node's log how many bytes other nodes' checkpoints had, and how long they took.
// They come one after the other.
func shipments(log string) (bytes int64, took time.Duration) {
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "has taken the place of a copy") {
			continue
		}
		for field := range strings.FieldsSeq(line) {
			if value, ok := strings.CutPrefix(field, "bytes="); ok {
				n, _ := strconv.ParseInt(value, 10, 64)
				bytes += n
			}
			if value, ok := strings.CutPrefix(field, "after="); ok {
				d, _ := time.ParseDuration(value)
				took += d
			}
		}
	}
	return bytes, took
}
