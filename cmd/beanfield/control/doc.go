// Package control is how people ask a running node of a cluster, from a shell on its machine: a unix
// socket in the node's data directory, over which both ends are HTTP with JSON.
//
//	GET  /status   what the node knows of the cluster (cluster.Status)
//	GET  /verify   how the copies of all nodes compare (cluster.Verification)
//	POST /move, /drain, /join, /leave, /rebuild   an Order; the answer is an Answer
//
// # Invariants
//
//	CO1  Who may use the data directory may ask, and nobody else: the socket has the mode 0600, in
//	     a directory that is its owner's alone.
//	CO2  The name of the data directory may be longer than the address of a socket can be.
//	CO3  No goroutine outlives Close.
package control
