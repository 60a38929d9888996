// Package socket has the sockets of event loops: the poller that watches them, reading and writing without a word to
// the Go scheduler, and TLS over a socket that does not block. It knows neither the protocol nor a loop. How TLS is
// used is in the documentation of package event, under "TLS".
//
// # Pollers
//
// A loop's poller is epoll on Linux (poller_epoll.go), and poll(2) on macOS and FreeBSD (poller_portable.go). Both are
// the same concrete type with the same methods, chosen by build tags, so that a loop on Linux pays for no interface.
// With the tag portable Linux has poll(2) too: that is how it is tested (make portable), by all tests of conn.
//
// Epoll tells of edges. For poll(2), whoever reads says when a socket has nothing more (Emptied), and whoever closes
// one says so before (Closing); on Linux both are empty. What comes behind bytes that nobody has read is no news to
// poll(2): so a client that waits is read ahead, up to one read buffer (ReadAhead), as it is with TLS anyway. Behind
// more than that, the end of a stream is seen on FreeBSD from 13.1 on, and on macOS only when the wait is over.
//
// Epoll behind this type is as fast as it was without: 1.00, 0.99 and 1.01 times in 30 pairs of three loads (bench
// compare -against, November 2026).
//
// A look of poll(2) costs time for each connection of the loop, idle or not: 0.08 µs on Linux, so 0.8 ms with 10,000.
// While nobody sends anything it costs none, and an idle connection takes some 12 bytes.
//
// # Designs not taken
//
// kqueue would have edges, and no cost for idle connections. It is not there on Linux, so nothing here could have
// tested it.
//
// Go's own poller is there on all systems, but can only be waited for by goroutines: one for each connection, some
// 3 KB, that tells the loop; a look at it that does not block, on which a loop that lingers relies, does not exist;
// and it wants to own the descriptor.
//
// # Invariants
//
// W1: until ended is set, only the handshake's goroutine touches the TLS, except for
// shake.woken and shake.over; afterwards only the loop does. The socket is closed after
// the goroutine has ended.
//
// W2: records are sent in the order in which they were sealed. Everything that is sealed
// goes through out, including alerts and key updates.
package socket
