package forward

import "net"

// mostComputed is how many handshakes of TLS a link computes at once. Others wait, within their 5 s.
const mostComputed = 64

// slotted is the connection of a handshake that has a slot while it computes, and none while it waits for the other
// side: so strangers who stay silent keep nobody out (FW7).
type slotted struct {
	net.Conn
	slots chan struct{} // nil when the handshake is over
}

// slot waits for a slot.
func slot(c net.Conn, slots chan struct{}) *slotted {
	slots <- struct{}{}
	return &slotted{c, slots}
}

// Read implements net.Conn.
func (s *slotted) Read(b []byte) (int, error) {
	if slots := s.slots; slots != nil {
		<-slots
		defer func() { slots <- struct{}{} }()
	}
	return s.Conn.Read(b)
}

// leave gives the slot back.
func (s *slotted) leave() {
	<-s.slots
	s.slots = nil
}
