// Package socket drives connections on plain file descriptors: package net would cost more
// per command than most servers spend.
//
// All loads are driven the same way. A goroutine has a loop (loop.go) of connections that never
// block, each with a party that takes what arrives. Code that sends one command after another, like
// a conversation, has a side (side.go) instead. It seems to wait; in fact control goes back to the
// goroutine that drives it, or the socket is polled.
package socket
