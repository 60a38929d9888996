package beanstalk

import (
	"beanfield/conn"
	"beanfield/conn/beanstalk/socket"
	"beanfield/conn/secure"
)

// Door says how the clients of a listener are let in. The Server itself is the front end of the zero
// value.
type Door struct {
	Certificates *secure.Certificates // nil without TLS
	Login        bool                 // clients may log in with a token
	HTTP         bool                 // clients that speak HTTP are answered like others, and not closed
}

// Door returns the front end of clients that come through such a door.
func (s *Server) Door(d Door) conn.FrontEnd {
	if d.Certificates == nil {
		return open{s, d}
	}
	return secured{s, d}
}

// open is a front end without TLS.
type open struct {
	server *Server
	door   Door
}

// Welcome implements conn.FrontEnd.
func (f open) Welcome(fd int) { f.server.welcome(fd, nil, f.door) }

// secured is a front end with TLS.
type secured struct {
	server *Server
	door   Door
}

// Room implements conn.Hesitant.
func (f secured) Room() <-chan struct{} { return f.door.Certificates.Room() }

// Welcome implements conn.FrontEnd.
func (f secured) Welcome(fd int) {
	f.server.welcome(fd, socket.NewTLS(fd, f.door.Certificates), f.door)
}
