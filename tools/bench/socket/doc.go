// Package socket has the system calls of the generator on plain file descriptors.
//
// Package net would cost more per command than most servers spend.
package socket
