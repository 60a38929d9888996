package transfer

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowLink holds SP7: links of all speeds are busy, and have no long queues.
func TestSlowLink(t *testing.T) {
	const chunk, chunks = 1000, 1000
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, chunk*chunks), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []struct {
		speed    int
		distance time.Duration
	}{
		{2 * chunk, 0}, {20 * chunk, 0}, {200 * chunk, 0}, {2000 * chunk, 0},
		{20 * chunk, 50 * time.Millisecond}, {200 * chunk, 50 * time.Millisecond}, {500 * chunk, 20 * time.Millisecond},
	} {
		speed := link.speed
		synctest.Test(t, func(t *testing.T) {
			n, o := newNetwork(1), small()
			n.speed, n.distance = speed, link.distance
			o.chunk = chunk
			s := n.desk(t, &maker{dir: dir}, o)
			longest, begun := time.Duration(0), time.Now()
			o.Told = func(int64, int64) {
				n.mu.Lock()
				defer n.mu.Unlock()
				if time.Since(begun) > time.Second+10*chunk*time.Second/time.Duration(speed) { // it has found its width
					longest = max(longest, time.Until(n.free))
				}
			}
			if _, err := get(context.Background(), n, "P", "", filepath.Join(t.TempDir(), "into"), o); err != nil {
				t.Fatal(err)
			}
			took, busy := time.Since(begun).Seconds(), float64(chunk*chunks)/float64(speed)
			if two := 2 * time.Second * chunk / time.Duration(speed); longest > two+100*time.Millisecond {
				t.Errorf("at %v: messages waited for %v", link, longest)
			}
			if took > 1.3*busy+0.5 {
				t.Errorf("at %v: %.2f s, of which the link was busy for %.2f", link, took, busy)
			}
			s.Close()
		})
	}
}
