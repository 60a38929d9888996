package listeners

import (
	"net"
	"testing"

	"beanfield/conn/secure"
)

// at is a listener at an address, which nobody comes to.
type at struct {
	net.Listener
	addr net.Addr
}

func (a at) Addr() net.Addr { return a.addr }

// Who comes to one node is served by the rules of the same listener at another one: never by those of a listener that
// demands other certificates, or of one that the other node does not have.
func TestSame(t *testing.T) {
	tcp := func(text string) net.Listener {
		addr, err := net.ResolveTCPAddr("tcp", text)
		if err != nil {
			t.Fatal(err)
		}
		return at{addr: addr}
	}
	inner, public := new(secure.Certificates), new(secure.Certificates)
	tls := func(text string, c *secure.Certificates) net.Listener {
		return Special{Listener: tcp(text), Front: Beanstalk, Certs: c}
	}
	plain, path := tcp("10.0.0.1:11300"), at{addr: &net.UnixAddr{Net: "unix", Name: "/run/b"}}
	queue := Special{Listener: tcp("10.0.0.1:11400"), Front: Queue}
	login := Special{Listener: tcp("10.0.0.1:11301"), Front: Beanstalk, Login: true}
	first, second := tls("10.0.0.1:11310", inner), tls("10.0.0.1:11311", public)
	third := tls("192.168.0.1:11311", inner) // the same port on another network
	for _, c := range []struct {
		what string
		own  []net.Listener
		come net.Listener
		want net.Listener // nil: refused
	}{
		{"plain at another address", []net.Listener{first, plain, queue}, tcp("10.0.0.2:11300"), plain},
		{"plain at another port", []net.Listener{first, plain, queue}, tcp("10.0.0.2:9"), plain},
		{"plain where there is only a path", []net.Listener{path, queue}, tcp("10.0.0.2:11300"), path},
		{"plain where there is only TLS", []net.Listener{first, queue, login}, tcp("10.0.0.2:11300"), nil},
		{"the only one with TLS", []net.Listener{plain, second}, tls("10.0.0.2:7", inner), second},
		{"of two with TLS, that at the same port", []net.Listener{first, second}, tls("10.0.0.2:11311", inner), second},
		{"of two with TLS, none at the same port", []net.Listener{first, second}, tls("10.0.0.2:7", inner), nil},
		{"of two at one port, its own", []net.Listener{third, first, second}, second, second},
		{"of two at one port, neither its own", []net.Listener{third, second}, tls("10.0.0.2:11311", inner), nil},
		{"the queue service", []net.Listener{plain, queue}, Special{Listener: tcp("[::1]:5"), Front: Queue}, queue},
		{"with a login", []net.Listener{plain, login}, Special{Listener: path, Front: Beanstalk, Login: true}, login},
		{"with HTTP, which no other node has", []net.Listener{plain, login},
			Special{Listener: tcp("10.0.0.2:11300"), Front: Beanstalk, HTTP: true}, nil},
	} {
		got, err := Same(c.own, EntranceOf(c.come))
		if got != c.want || (err != nil) != (c.want == nil) {
			t.Errorf("%s: %v, %v", c.what, got, err)
		}
	}
}
