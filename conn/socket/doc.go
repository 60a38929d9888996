// Package socket has the sockets of event loops: the epoll instance that watches them, a place
// for it in Go's own poller, reading and writing without a word to the Go scheduler, and TLS over
// a socket that does not block. It knows neither the protocol nor a loop. How TLS is used is in
// the documentation of package event, under "TLS".
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
