// Package conn accepts connections, for the whole server: one process has one table of file
// descriptors, one limit on connections, and one end.
//
// # Front ends
//
// A front end is one way of serving clients: the beanstalk protocol, the queue service, or the
// pages for administrators. Each is a package below this one. It has its own protocol, goroutines
// and buffers, and does not know the others. An Acceptor accepts from every listener, and hands
// each client to the front end that the listener is for. When the client has gone, the front end
// says so:
//
//	listener --accept--> Acceptor --Welcome--> FrontEnd
//	                     Acceptor <---Left---- FrontEnd
//
// What Welcome hands over is a bare, non-blocking socket and not a net.Conn: an event loop polls
// its sockets itself, and the Go runtime would poll those of a net.Conn as well. A front end that
// wants a goroutine for each client makes a net.Conn of the socket (Adopt). Those that speak HTTP
// leave that, and what else they have in common, to package httpfront.
//
// With TLS too, a front end gets the bare socket, and makes the handshake itself. Package secure has
// the certificates and finds out whose certificate a client shows; package access says what the
// client may do. A front end counts what its clients do, and lists them for administrators (Client).
//
// This package imports nothing else of beanfield, so that it can be tested without a queue.
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
// the last call of Limit, allows: each is counted under a lock before it
// is welcomed, and is counted until its front end says that it has left. A client that one front end hands
// over to another takes its place along: the other one says that it has left.
//
// N2: an accepted socket is either welcomed by exactly one front end, which closes it,
// or closed here.
//
// N3: after Stop has returned, nobody is welcomed who comes by a listener.
//
// N4: a listener that waits for a descriptor wakes when a client leaves. A client that leaves puts a token into a
// channel; there is room for one token only, so a listener that has let a client in passes the token on.
//
// N5: those who wait for a place get it as they have come, and nobody who comes later is before them. A client that
// another node has passed on waits as a listener does, with one client in hand: so all of them take turns.
package conn
