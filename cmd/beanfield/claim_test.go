package main

import (
	"strings"
	"testing"

	"beanfield/storage/must"
)

// A node's directory is used by one process at a time, also while that one waits for other nodes.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(claim(dir))
	if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Error("a second claim:", err)
	}
	must.Do(t, f.Close())
	must.Do(t, must.Get(claim(dir)).Close())
	if _, err := claim(dir + "/none"); err == nil {
		t.Error("a directory that is not there can be claimed")
	}
}
