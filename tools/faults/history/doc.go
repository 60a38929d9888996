// Package history records the requests and answers of a cluster's clients, and says afterwards which promises were
// broken. If an answer was lost, both outcomes are possible.
//
// # The rules
//
//	FR0  An answer is one that the command may have.
//	FR1  A job that is handed out, or there at the end, was put, and its body is whole.
//	FR2  An id is given once, a put makes one job, and the ids of a tube rise: a put has a higher id
//	     than every put of the tube that had been answered when it was sent.
//	FR3  A job whose put was answered is there at the end, unless a delete of it was sent that was not
//	     refused.
//	FR4  A job whose delete was answered is never seen again by a command that was sent later, nor
//	     deleted twice.
//	FR5  While a connection holds a job for certain, no other connection gets it, ends it or kicks it.
//	FR6  A connection that holds a job for certain is not refused when it ends or touches it.
//	FR7  Two nodes do not serve at the same time.
//	FR8  A buried job is handed out only after it was kicked, and is buried at the end without a kick.
//
// # What is certain
//
// A connection holds a job from the answer to its reserve on. A later release, bury or touch that succeeds proves that
// the connection still held the job when it sent that command. Without such proof, it certainly holds the job only
// while three things are true. The TTR is not over, counted from when the reserve, or a touch that succeeded, was sent.
// The connection has sent no command that ends the job. And its server still serves, which each answer proves for some
// moment between sending and answer. A stopped server may have been replaced by another node without its clients'
// knowledge, so silence proves nothing.
//
// INTERNAL_ERROR proves nothing: a node that has lost the shards says so to every question about jobs until it has cut
// its connections, tens of milliseconds after another node has begun (package cluster, CN3). Another answer of it to
// what was sent after that is a finding.
//
// A node serves a connection during one ownership. So it has served from the first answer of a
// connection to the sending of the last command that it has answered there: FR7 compares these
// times, and each answer, with those of connections to other nodes.
//
// tools/crash has a ledger of its own. It keeps for each job the versions that a restart may find, without times, and
// allows only one command about a job at a time. The two ledgers would share only two maps, of tokens and of ids.
package history
