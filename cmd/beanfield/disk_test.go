package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// dataDir makes an empty data directory in a directory of its own, where its backups
// go too.
func dataDir(t testing.TB) string {
	t.Helper()
	return mustMkdir(t, filepath.Join(t.TempDir(), "data"))
}

// stop ends the process in order, kill as a crash does.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.ends(0)
}

func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	p.Wait()
}
