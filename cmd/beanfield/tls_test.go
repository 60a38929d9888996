package main

import (
	"testing"
	"time"
)

// until polls for what nobody tells.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond) // others need the processor, too
	defer again.Stop()
	for end := time.Now().Add(patience); !ok(); <-again.C {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
