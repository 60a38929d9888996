package socket

import "testing"

// This version of Go has the buffers where they are looked for. Otherwise only memory is lost, but
// somebody should know.
func TestBuffersAreFound(t *testing.T) {
	if recordAt == 0 || messagesAt == 0 {
		t.Error("tls.Conn has no fields rawInput and hand of type bytes.Buffer any more")
	}
}
