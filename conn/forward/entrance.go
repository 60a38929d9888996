package forward

import (
	"errors"

	"beanfield/conn"
)

// Entrance is what kind of listener a client has come to.
type Entrance struct {
	Front string // which front end it is for
	Place string // its address or path: tells listeners of one kind with other certificates apart
	TLS   bool   // the client speaks TLS
	Login bool   // it may log in with a token
	HTTP  bool   // it may speak HTTP, though the front end does not
	Local bool   // only this machine reaches the listener
}

// Host is what serves clients in this process, for as long as it does.
type Host interface {
	// Take hands a client to the front end that its entrance is for. from is who the client is, if another node has
	// passed it on: it is counted now. With nil the kernel knows who it is, and it keeps the place that it has had with
	// the forwarder (FW5). If there is no room for it, Take waits until done is closed; with nil it never waits. After
	// an error the socket is still the caller's. After ErrNotServing the client may come again. After any other error
	// it will never be served here.
	Take(e Entrance, socket int, from *conn.Peer, done <-chan struct{}) error
}

// ErrNotServing says that this process does not serve clients now, or has no room for another one at their entrance.
var ErrNotServing = errors.New("this node does not serve clients, or has no room")
