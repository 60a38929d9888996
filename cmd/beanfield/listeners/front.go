package listeners

import (
	"errors"
	"net"
	"strings"

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
	return forward.Entrance{Front: FrontOf(l), Place: l.Addr().String(), TLS: f.Certs != nil, Login: f.Login,
		HTTP: f.HTTP, Local: ok && tcp.IP.IsLoopback()}
}

// Same finds the listener of this node by whose rules the clients of an entrance are served, of whatever node: one of
// the same kind. If they have other certificates, or demand other ones of clients, it is the one at the same place, or
// at least at the same port.
func Same(own []net.Listener, e forward.Entrance) (net.Listener, error) {
	for _, alike := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return port(a) == port(b) },
		func(a, b string) bool { return true },
	} {
		var one net.Listener
		for _, l := range own {
			is := EntranceOf(l)
			place := is.Place
			if is.Place, is.Local = e.Place, e.Local; is != e || !alike(place, e.Place) {
				continue
			}
			if one != nil && CertsOf(one) != CertsOf(l) {
				return nil, errors.New("it has several listeners of this kind, and none of them is at the same place")
			}
			one = l
		}
		if one != nil {
			return one, nil
		}
	}
	return nil, errors.New("it has no listener of this kind: all nodes of a cluster need the same ones")
}

// port is what comes last in an address. Of a path, that is all of it.
func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

func CertsOf(l net.Listener) *secure.Certificates {
	f, _ := l.(Special)
	return f.Certs
}
