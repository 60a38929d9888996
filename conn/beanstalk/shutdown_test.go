package beanstalk

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"beanfield/storage/must"
)

// A loop that ends early must keep the descriptor by which it is woken until all have
// ended: a file that is opened meanwhile would get its number, and the write that wakes the
// loops once more, when the time is over, would go into that file.
func TestShutdownWritesIntoNoFile(t *testing.T) {
	h, _ := stuffed(t, "pair") // the client keeps its loop
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- h.shutdown(ctx) }()
	select {
	case <-h.server.loops[0].done:
	case <-h.server.loops[1].done:
	}
	var files []*os.File
	for i := range 8 {
		f := must.Get(os.Create(filepath.Join(t.TempDir(), strconv.Itoa(i))))
		defer f.Close()
		files = append(files, f)
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Shutdown: %v", err)
	}
	for i, f := range files {
		if info, err := f.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("file %d, which nobody writes: %d bytes, %v", i, info.Size(), err)
		}
	}
}
