package conn

import "testing"

// The IDs of one process are hardly ever those of another, and a page of JavaScript can have them.
func TestIDsOfClients(t *testing.T) {
	if id := NextID(); id < 1<<20 || id >= 1<<53 { // one process in four thousand millions begins lower
		t.Errorf("a client has the ID %d", id)
	}
}
