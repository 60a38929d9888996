// Package stalls measures how long one client waits because of others.
//
// The neighbour (neighbour.go) puts, reserves and deletes in a tube of its own, one command at a time. Its waits are
// measured first undisturbed ("in peace"), then during a disturbance (disturbance.go). Disturbances are by jobs that
// change their state and by large ones (jobs.go), by clients that wait, work or watch many tubes (clients.go), and by
// the queue service (queue.go).
//
// One goroutine drives both, a little of the disturbance at a time. A second goroutine would take the processor from
// the neighbour, and look like a stall of the server.
package stalls
