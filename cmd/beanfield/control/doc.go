// Package control lets people query and command a running node of a cluster from a shell on its
// machine: HTTP with JSON, over a unix socket in the node's data directory. It has both ends.
//
//	GET  /status   what the node knows of the cluster (cluster.Status)
//	GET  /verify   how the copies of all nodes compare (cluster.Verification)
//	POST /move, /drain, /join, /leave, /rebuild, /change   an Order; the answer is an Answer
//
// # Invariants
//
//	CO1  Only those who may use the data directory may ask: the socket has the mode 0600, in a
//	     directory that only its owner may enter.
//	CO2  The path of the data directory may be longer than a socket's address can be.
//	CO3  No goroutine outlives Close.
package control
