package transfer

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"beanfield/storage/must"
)

// TestSlowLink holds SP7: links of all speeds are busy, and have no long queues.
func TestSlowLink(t *testing.T) {
	const chunk, chunks = 1000, 1000
	for _, link := range []struct {
		speed    int
		distance time.Duration
	}{
		{2 * chunk, 0}, {20 * chunk, 0}, {200 * chunk, 0}, {2000 * chunk, 0},
		{20 * chunk, 50 * time.Millisecond}, {200 * chunk, 50 * time.Millisecond}, {500 * chunk, 20 * time.Millisecond},
	} {
		one := time.Second * chunk / time.Duration(link.speed)
		play(t, 1, func(*scene) Options { return Options{chunk: chunk} }, func(s *scene) {
			s.speed, s.distance, s.dir = link.speed, link.distance, s.TempDir()
			must.Do(s, os.WriteFile(filepath.Join(s.dir, "a"), make([]byte, chunk*chunks), 0o600))
			s.files = contents(s, s.dir)
			longest, begun := time.Duration(0), time.Now()
			s.o.Told = func(int64, int64) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if time.Since(begun) > time.Second+10*one { // it has found its width
					longest = max(longest, time.Until(s.free))
				}
			}
			if _, _, err := s.get(s.Context()); err != nil || longest > 2*one+100*time.Millisecond {
				s.Errorf("at %v: %v, and messages waited for %v", link, err, longest)
			}
			if took, busy := time.Since(begun), chunks*one; took > busy+busy/3+time.Second/2 {
				s.Errorf("at %v: %v, of which the link was busy for %v", link, took, busy)
			}
		})
	}
}
