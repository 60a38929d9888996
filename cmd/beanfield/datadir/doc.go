// Package datadir shows what is in a data directory while no server uses it, copies what can
// be read of a damaged one, checks a backup, makes a server's directory the beginning of a cluster and
// a node's that of a server again, and finds the server that has a directory open.
//
//	beanfield dump [-json] [-bodies] [-summary] DIR
//	beanfield dump -salvage NEW_DIR DIR
//	beanfield backup -check BACKUP
//	beanfield cluster init -config FILE -from DIR
//	beanfield cluster detach DIR
//
// A dump lists the jobs, shard by shard, in the order in which a server would recover
// them: by id, and then the buried ones in the order in which they were buried. After
// them come the tubes with their counts, and the total. Times are UTC. With -json
// every line is an object that tells its type, "queue", "job", "tube" or "total"; a body
// that is not UTF-8 is in base64, as "body_base64" instead of "body", and one that cannot
// be read is "body_damaged".
//
// The jobs of a shard come after its queues, with the groups that the queue service keeps
// of them. A job that the queue service has changed shows its tags and the rest as a JSON
// object, also in text. A job that only views of its queue still have is "passed".
//
// # What it changes
//
// D1. Dump, salvage and check change nothing in the directory that they read, no byte and
// no time of a file; it may be on a file system that is read-only. All they do there is to lock
// the lock file for reading, so that no server starts meanwhile. A directory that is in use, or
// not beanfield's, is refused.
//
// # Salvage
//
// If a directory is so damaged that neither a server nor a dump opens it, -salvage copies what
// is readable to a new directory, which must not exist, and leaves DIR as it is. It lists what
// is not readable: each file, or each part of one, with the reason; the ids that may have been
// there and are mentioned nowhere else; jobs whose bodies are incomplete; how many jobs may be
// back, and whether groups of queues may be missing. A job whose delete was in an unreadable
// part is back, and one whose last release, bury or kick was there has the state from before
// that. The store leaves files behind that are no longer in use; they count only if nothing
// can be read that says which those are. New jobs get ids above the highest one found in any
// readable part, even if that job is deleted or cannot be read. A salvage that is killed
// leaves a directory that a server refuses.
//
// # A check
//
// Verify reads all of a directory as a salvage does, bodies included, and writes nothing.
//
// # Into a cluster and out
//
// D2. A directory that a founding has not finished is opened by nobody, and the next founding starts
// over in it. Where the cluster's logs begin is on the disk before the directory counts.
//
// A founding copies what the server's directory holds when its log has been folded; on one file system
// the tables become links. It opens that directory as a server does, so files there change, though
// none of the jobs. Since the copy is written with the rights of whoever runs the command, a directory
// of another user is refused. A detaching works on the node's directory itself; if it is cut short, the
// directory is still the cluster's, and it is repeated.
package datadir
