package listeners

import (
	"net"

	"beanfield/conn/forward"
	"beanfield/conn/secure"
)

// The front ends, as the log and the metrics name them.
const (
	Beanstalk = "beanstalk"
	Queue     = "queue service"
	Admin     = "http"
	Forward   = "forward" // clients that a node passes on
)

// Special is a listener whose clients are not for the beanstalk protocol, or use TLS.
type Special struct {
	net.Listener
	Front string
	Certs *secure.Certificates // nil without TLS
	Login bool                 // clients of the beanstalk protocol may log in
	HTTP  bool                 // and may speak HTTP
}

func FrontOf(l net.Listener) string {
	if f, ok := l.(Special); ok {
		return f.Front
	}
	return Beanstalk
}

// EntranceOf is what another node is told of a listener whose client is passed on to it.
func EntranceOf(l net.Listener) forward.Entrance {
	f, _ := l.(Special)
	tcp, ok := l.Addr().(*net.TCPAddr)
	return forward.Entrance{Front: FrontOf(l), TLS: f.Certs != nil, Login: f.Login, HTTP: f.HTTP,
		Local: ok && tcp.IP.IsLoopback()}
}

func CertsOf(l net.Listener) *secure.Certificates {
	f, _ := l.(Special)
	return f.Certs
}
