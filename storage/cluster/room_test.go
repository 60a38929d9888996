package cluster

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

// A node waits until its disk has room, and says so. On a small disk less will do.
func TestRoom(t *testing.T) {
	for name, c := range map[string]struct {
		free, all uint64
		waits     bool
	}{
		"enough":           {leastRoom, 1 << 40, false},
		"too little":       {leastRoom - 1, 1 << 40, true},
		"of a small disk":  {1 << 20, roomPart << 20, false},
		"full, and small":  {1<<20 - 1, roomPart << 20, true},
		"nothing is known": {0, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log must.Text
			var waited []string
			begun := time.Now()
			n := newNode(Options{Dir: "/x/cluster", Logger: log.Logger(),
				Waiting: func(what string) { waited = append(waited, what) }})
			n.space = func(dir string) (free, all uint64, err error) {
				if dir != "/x" {
					t.Errorf("looked at %s", dir)
				}
				if time.Since(begun) > time.Minute {
					return c.all, c.all, nil
				}
				return c.free, c.all, nil
			}
			err := n.room(t.Context())
			if waits := time.Since(begun) > time.Minute; err != nil || waits != c.waits || len(waited) > 1 ||
				waits != (len(waited) == 1) {
				t.Errorf("%s: %v after %v, waited for %q", name, err, time.Since(begun), waited)
			}
			if c.waits && (!strings.Contains(waited[0], "room on its disk: ") ||
				strings.Count(log.String(), "\n") != 7) {
				t.Errorf("%s: waited for %q; logged\n%s", name, waited, &log)
			}
		})
	}
	n := newNode(Options{Logger: slog.New(slog.DiscardHandler), Waiting: func(string) {}})
	n.space = func(string) (uint64, uint64, error) { return 0, 1 << 40, nil }
	ended, end := context.WithCancel(t.Context())
	end()
	if err := n.room(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	n.space = func(string) (uint64, uint64, error) { return 0, 0, syscall.EIO }
	if err := n.room(t.Context()); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}
