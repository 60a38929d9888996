package forward

import (
	"net"
	"testing"

	"beanfield/storage/must"
)

// A handshake has a slot while it computes, and none while it waits for the other side, or is over (FW7).
func TestSlot(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	slots := make(chan struct{}, 1)
	s := slot(a, slots)
	if len(slots) != 1 {
		t.Error("it has no slot")
	}
	read := make(chan struct{})
	go func() { s.Read(make([]byte, 1)); close(read) }()
	must.Until(t, "it has no slot while it waits", func() bool { return len(slots) == 0 })
	must.Get(b.Write([]byte{1}))
	<-read
	if len(slots) != 1 {
		t.Error("it has no slot after it has waited")
	}
	s.leave()
	b.Close()
	s.Read(nil)
	if len(slots) != 0 {
		t.Error("it still has a slot")
	}
}
