package access

import (
	"beanfield/conn"
	"beanfield/conn/secure"
)

// Identity is what is known of a client: what rules can name. The zero value is a client
// of which nothing is known.
type Identity struct {
	Token       *Hash            // of the token that it has shown; nil for none
	Certificate *secure.Identity // nil for none
	Peer        conn.Peer        // when it connected
}

// WithToken returns the identity of the same client once it has shown a token.
func (id Identity) WithToken(token string) Identity {
	id.Token = new(HashOf(token))
	return id
}
