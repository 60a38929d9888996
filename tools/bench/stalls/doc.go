// Package stalls measures how long one client waits because of others.
//
// The neighbour (neighbour.go) puts, reserves and deletes in a tube of its own, one
// command at a time. Its waits are measured first undisturbed ("in peace"), then during a
// disturbance (disturbance.go). Disturbances are by jobs that change their state (jobs.go),
// workers that wait (workers.go), clients that watch many tubes (tubes.go), a large job, a
// busy tube, and the queue service (queue.go).
//
// One goroutine drives both, a little of the disturbance at a time. A second goroutine
// would take the processor from the neighbour, and look like a stall of the server.
package stalls
