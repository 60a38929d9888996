// Package stalls measures how long one client waits because of others.
//
// The neighbour (neighbour.go) puts, reserves and deletes in a tube of its own, one
// command at a time. Its waiting is measured in peace, and then while a disturbance goes
// on: each disturbance is a type with a file of its own.
//
// One goroutine drives both, a little of the disturbance at a time. A second goroutine
// would take the processor from the neighbour, and look like a stall of the server.
package stalls
