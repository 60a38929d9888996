package socket

import "testing"

// This version of Go has the buffer where it is looked for. Otherwise only memory is lost, but
// somebody should know.
func TestRecordBufferIsFound(t *testing.T) {
	if recordAt == 0 {
		t.Error("tls.Conn has no field rawInput of type bytes.Buffer any more")
	}
}
