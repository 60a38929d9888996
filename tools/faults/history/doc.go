// Package history notes what clients of a cluster ask and are answered, and says afterwards which
// promises were broken. A client that has lost an answer knows nothing: both outcomes are possible.
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
// A connection holds a job from the answer to its reserve on. It has proof of that for later moments:
// the sending of a release, bury or touch that is done. It holds the job also until its TTR is over, counted
// from when its reserve (or a touch that is done) was sent, which is the earliest moment; until it
// sends a command that ends the job; and as long as its server still serves it, of which each answer
// is a proof: the server has served between sending and answer. A server that is stopped has been
// replaced by another node without its clients' knowledge; so silence proves nothing.
//
// A node serves a connection during one ownership. So it has served from the first answer of a
// connection to the sending of the last command that it has answered there: FR7 compares these
// times, and each answer, with those of connections to other nodes.
//
// It is not one ledger with that of tools/crash, which keeps for each job the versions that a restart may find, without
// times, and has one command about a job under way: the two have two maps in common, of tokens and of ids.
package history
