// Package floor is a server that does the least that any server can do on this machine: a bare loop (loop.go) with a
// bare queue (queue.go), and, as the floor for servers that sync before each reply, with a bare log (log.go).
package floor
