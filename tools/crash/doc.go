// Command crash kills a server under load, again and again, and checks whether it
// keeps its promises.
//
// It starts the real server on a data directory with sync = "always", and lets many
// connections put, reserve, delete, release, bury, kick, move, change and truncate, alone and pipelined. Every
// command is entered in a ledger when it is sent. At a random moment the server is
// killed with SIGKILL; the answers that it had sent are still read. Then it is started
// again, now and then with another number of shards or with little memory for bodies,
// and everything that it shows is compared with the ledger:
//
//   - what was answered has happened, and is there: jobs with their bodies, tubes,
//     priorities, counters, the order of buried jobs, the times of delayed ones;
//   - the tags of items: connections also put over HTTP, by the queue service, into the
//     same tubes, and the jobs are dealt with like all others;
//   - what was deleted stays deleted;
//   - what was sent and not answered has happened as a whole or not at all: a job that was being
//     moved to another shard is in one of both tubes, with all that it had; jobs that were put together
//     are all there or none is;
//   - a dead letter is in its tube or in the one that dead letters go to;
//   - a put that has a name, sent again, is answered with the job that it has made, and a key is taken
//     as long as its job lives;
//   - nothing else is there, and ids rise.
//
// With -damage it leaves two directories, one by SIGKILL and one in order, damages
// copies of them in one place each (a flipped bit, zeros, a file cut short or removed),
// and starts a server on each. Either the server refuses to start and names the file, or
// every acknowledged job is there or is reported as one that cannot be read.
//
// With -reference it restarts beanfield and Debian's beanstalkd side by side, with
// the same commands for both, and compares what they have kept: see compare.go.
//
// # What is known of a job
//
// A ledger of many connections can only say what must be there if it knows which
// of two commands came first. So at most one command about a job is in flight at
// any time, and at most one connection changes the order of the buried jobs of a
// tube, and for a move, of both tubes; kick is used for buried jobs only, since only the server knows which of
// two delayed ones is sooner. Everything else goes on at the same time. A log does
// not say that a job is reserved: after a restart it is what it was before.
//
// # Reading the source
//
// version.go (what a restart may find of a job), ledger.go, load.go, puts.go, meddle.go and move.go
// (what the connections do), observe.go and settle.go (what is looked at after a
// restart), queueservice.go, round.go. damage.go is separate from these.
package main
