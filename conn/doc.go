// Package conn is what all faces of the server share: it lets clients in.
//
// # Faces
//
// A face serves clients in one way: the beanstalk protocol, a queue service, an
// administrator's pages. Each is a package below this one, with its own protocol,
// goroutines and buffers, and knows nothing of its neighbours. What they cannot
// each have alone is here: one process has one table of descriptors, one limit on
// connections, and one end.
//
// An Acceptor accepts from every listener, and welcomes each client to the face
// that the listener is for:
//
//	listener --accept--> Acceptor --Welcome--> Face ... Left
//
// A face is handed a bare, non-blocking socket rather than a net.Conn. An event
// loop can register it as it is, while a face that wants a goroutine for each
// client makes a net.Conn of it (net.FileConn) and closes the original; the other
// way round would give an event loop a connection that the runtime polls as well.
//
// What clients have said, and what they do, is the face's to know and count. The
// package imports nothing of the house, so that it can be tested without a queue.
//
// # Limits
//
// MaxConnections holds for all faces together, because all take from the same
// descriptors. A client too many is accepted and kept in hand until another one
// leaves: one for each listener, and the kernel keeps the rest. When descriptors
// or memory run out, accepting pauses until somebody leaves. Others in the process
// or on the machine may free a descriptor too, so it also tries again every
// second; it never spins. A pause is logged, but at most once a minute.
//
// # The end
//
// Stop ends accepting for all faces, and returns when no more clients come. Only
// then can a face end in order: those that it has are all that it will have. How
// it gives its clients their last replies is its own affair. A server that drains
// (refuses new jobs) goes on accepting.
//
// # Invariants
//
// N1: at most MaxConnections clients are with faces at any time: each is counted
// before it is welcomed, with one compare-and-swap, and until its face says that
// it has left.
//
// N2: an accepted socket is either welcomed by exactly one face, which closes it,
// or closed here.
//
// N3: after Stop has returned, nobody is welcomed.
//
// N4: a listener that waits for somebody to leave wakes when one does. Leaving
// puts a token where the waiting look for it; there is room for one token only, so
// whoever has come in after a wait passes it on.
package conn
