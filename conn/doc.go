// Package conn has what all front ends of the server share: it lets clients in.
//
// # FrontEnds
//
// A front end serves clients in one way: the beanstalk protocol, a queue service, an
// administrator's pages. Each is a package below this one, with its own protocol,
// goroutines and buffers, and knows nothing of its neighbours. What they cannot
// each have alone is here: one process has one table of descriptors, one limit on
// connections, and one end.
//
// An Acceptor accepts from every listener, and hands each client to the front end that
// the listener is for:
//
//	listener --accept--> Acceptor --Welcome--> FrontEnd ... Left
//
// A front end is handed a bare, non-blocking socket rather than a net.Conn. An event
// loop can register it as it is, while a front end that wants a goroutine for each
// client makes a net.Conn of it (Adopt). A net.Conn would give an event loop a
// connection that the runtime polls as well. Package hall receives the clients of the front ends
// that speak HTTP.
//
// Front ends share the processors, too. Before an event loop sleeps, it must know whether
// goroutines of other front ends wait for their clients' requests (Polled).
//
// Clients of a listener with TLS come to their front end in the same way, and the front end makes the
// handshake. Package secure has the server's certificates, and tells who a client is by the
// client's certificate. Package access says what a client may do.
//
// The front end knows and counts what its clients say and do, and lists them for administrators
// (Client). This package imports
// nothing else of beanfield, so that it can be tested without a queue.
//
// # Limits
//
// MaxConnections holds for all front ends together, because they share the descriptors.
// At the limit, each listener accepts one client more and holds it until another
// one leaves; the kernel queues the rest. When descriptors or memory run out,
// accepting pauses until a client leaves. Something else in the process or on the
// machine may free a descriptor too, so it also tries again every second; it never
// spins. A pause is logged, but at most once a minute. Nobody who has been accepted is
// sent away for want of a descriptor: making a net.Conn takes two for a moment, and
// the acceptor keeps a spare one for that.
//
// A front end may also be hesitant (Hesitant): while it is busy with clients that have just come,
// the acceptor leaves others in the kernel's queue.
//
// # The end
//
// Stop ends accepting for all front ends, and returns when no more clients come. Only
// then can a front end close down, since it will get no more clients. Each front end decides
// how to give its clients their last replies. A server that drains (refuses new
// jobs) goes on accepting.
//
// # Invariants
//
// N1: nobody is welcomed while as many clients are with front ends as MaxConnections, or
// the last call of Limit, allows: each is counted with one compare-and-swap before it
// is welcomed, and is counted until its front end says that it has left.
//
// N2: an accepted socket is either welcomed by exactly one front end, which closes it,
// or closed here.
//
// N3: after Stop has returned, nobody is welcomed.
//
// N4: a listener that waits for a client to leave wakes when one does. A client
// that leaves puts a token into a channel; there is room for one token only, so a
// listener that has let a client in after a wait passes the token on.
package conn
