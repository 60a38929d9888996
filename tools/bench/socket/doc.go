// Package socket has the generator's system calls on plain file descriptors.
//
// Package net would cost more per command than most servers spend.
package socket
