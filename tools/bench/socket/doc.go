// Package socket drives connections on plain file descriptors: package net would cost more
// per command than most servers spend.
//
// All loads are driven the same way. A goroutine has a loop (loop.go) of connections that
// never block, each with a party that takes what arrives. Code that is a conversation, one
// command after another, has a side (side.go) of its own instead. It seems to wait; in
// fact its turn goes back to the goroutine that drives it, or the socket is polled.
package socket
