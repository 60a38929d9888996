// Command crash kills a server under load, again and again, and checks that it keeps its promises.
//
// It starts the real server on a data directory with sync = "always", and lets many
// connections put, reserve, delete, release, bury, kick, move, change and truncate, alone and pipelined. Every
// command is entered in a ledger when it is sent. At a random moment the server is killed with SIGKILL;
// answers that it had already sent are still read. Then it is started again, sometimes with another number of
// shards or with little memory for bodies, and all that it shows is compared with the ledger:
//
//   - the effect of every answered command is there: jobs with their bodies, tubes, priorities, counters, the
//     order of buried jobs, the times of delayed ones;
//   - so are the tags of items, which connections put through the queue service into the same tubes, and which
//     are then handled like all other jobs;
//   - what was deleted stays deleted;
//   - a command that was sent and not answered has happened as a whole or not at all: a job that was being
//     moved to another shard is in one of the two tubes, with all that it had; of jobs that were put together,
//     all are there or none;
//   - a dead letter is in its tube or in the one that dead letters go to;
//   - a put with a name, sent again, is answered with the job that it made before, and a key is taken as long
//     as its job lives;
//   - nothing else is there, and ids rise.
//
// With -damage it makes two directories, one of a killed server and one of a server that stopped cleanly. It
// damages copies of them, each in one place (a flipped bit, zeros, a file cut short or removed), and starts a
// server on each copy. The server must refuse to start and name the file, or else show every acknowledged job,
// or report it as one that cannot be read.
//
// # What is known of a job
//
// A ledger of many connections can say what must be there only if it knows which of two commands came first.
// So at most one command about a job is in flight at any time. At most one connection changes the order of a
// tube's buried jobs; for a move, of both tubes' jobs. Only buried jobs are kicked, since only the server
// knows which of two delayed jobs is due first. Everything else goes on at the same time. The server's log
// does not record reserves: after a restart, a reserved job is what it was before.
//
// # Reading the source
//
// version.go (the states of a job that a restart may find), ledger.go, load.go, puts.go, queueservice.go,
// meddle.go and move.go (what the connections do), observe.go and settle.go (what is checked after a restart),
// round.go (one round of all that). damage.go is separate from these.
package main
