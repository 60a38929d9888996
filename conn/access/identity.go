package access

import (
	"net/netip"

	"beanfield/conn/secure"
)

// Identity is what is known of a client: what rules can name. The zero value is a client
// of which nothing is known.
type Identity struct {
	Token       *Hash            // of the token that it has shown; nil for none
	Certificate *secure.Identity // nil for none
	Peer        *Peer            // nil if it has no unix socket
	Addr        netip.Addr       // not valid if it has one
}

// Peer is the process at the other end of a unix socket when it connected.
type Peer struct {
	PID      int32
	UID, GID uint32
}

// WithToken returns the identity of the same client once it has shown a token.
func (id Identity) WithToken(token string) Identity {
	h := HashOf(token)
	id.Token = &h
	return id
}
