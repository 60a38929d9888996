package must

import (
	"testing"
	"time"
)

// Patience bounds every wait in tests. It is far beyond what any of them needs on the busiest machine, so a test that
// reaches it has found a fault.
const Patience = 5 * time.Minute

// Until waits for what nobody tells of, and ends the test if it does not come.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond) // others need the processor, too
	defer again.Stop()
	for end := time.Now().Add(Patience); !ok(); <-again.C {
		if time.Now().After(end) {
			t.Fatal("never:", what)
		}
	}
}
