// Package peers measures other queue servers beside beanfield, with one generator for all of them.
//
// A peer (peer.go) is a server as its manual says to run it for a promise: the jobs in memory, or on the disk before a
// put is answered. Each has a file with its settings and a client that speaks what is needed of its protocol
// (beanstalk.go, redis.go, nats.go), or uses the usual module (rabbit.go). A client has few verbs, each with so many
// jobs at once: put, take, done. A take does not end before there is a job; done is answered where the protocol has an
// answer.
//
// The generator (drive.go) is one goroutine for each connection. It costs more than that of package load, which knows
// one protocol, but the same for every peer, and the server's processor time does not include it.
//
// Every body that comes back is compared, and when all is done the server must have no job left.
//
// Debian's packages are unpacked beside the caches and not installed (debian.sh); everything listens on 127.0.0.1.
package peers
