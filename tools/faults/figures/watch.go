package figures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// A watch is a few clients that put and delete one job after the other, wherever they can, and the
// longest time during which none of their puts was acknowledged.
type watch struct {
	mu    sync.Mutex
	last  time.Time
	worst time.Duration
	stop  func()
}

// watchers are so many that one which is just looking for a node does not matter.
const watchers = 4

func (s *site) watch(ctx context.Context, body int) *watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{last: time.Now()}
	var all sync.WaitGroup
	for i := range watchers {
		all.Go(func() { s.watcher(ctx, w, rand.New(rand.NewPCG(2, uint64(i))), body) })
	}
	w.stop = func() {
		cancel()
		all.Wait()
	}
	return w
}

func (s *site) watcher(ctx context.Context, w *watch, dice *rand.Rand, body int) {
	text := []byte(strings.Repeat("x", body))
	command := fmt.Sprintf("put 0 0 60 %d", body)
	for ctx.Err() == nil {
		c, _, err := s.seeker.Find(ctx, dice)
		if err != nil {
			return
		}
		for err == nil && ctx.Err() == nil {
			r, failed := c.Put(command, text)
			if err = failed; err == nil && r.Word == "INSERTED" {
				w.acknowledged()
				_, err = c.Askf("delete %d", r.Number)
			}
		}
		c.HangUp()
	}
}

func (w *watch) acknowledged() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.worst, w.last = max(w.worst, now.Sub(w.last)), now
}

// longest is the longest time since it was asked last.
func (w *watch) longest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	worst := max(w.worst, time.Since(w.last))
	w.worst = 0
	return worst
}
