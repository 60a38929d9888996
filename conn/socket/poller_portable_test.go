//go:build !linux || portable

package socket

import (
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// A wait that the kernel refuses, as it does when there are more sockets than files may be open, takes some time.
func TestRefusedWait(t *testing.T) {
	p := must.Get(NewPoller())
	defer p.Close()
	var was syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	few := was
	few.Cur = 0
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	begun := time.Now()
	events := p.Wait(-1)
	took := time.Since(begun)
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	if took < failedPause || len(events) > 0 {
		t.Errorf("it ends after %v with %d events", took, len(events))
	}
}
