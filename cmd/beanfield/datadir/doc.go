// Package datadir does what can be done with a data directory that no server uses. It shows what is in
// it, copies what is readable of a damaged one, checks a backup, begins a cluster with a server's
// directory, and turns a node's directory back into a server's. It also finds the server that has a
// directory open.
//
//	beanfield dump [-json] [-bodies] [-summary] DIR
//	beanfield dump -salvage NEW_DIR DIR
//	beanfield backup -check BACKUP
//	beanfield cluster init -config FILE -from DIR
//	beanfield cluster reshard -to N -config FILE
//	beanfield cluster detach DIR
//
// A dump lists the jobs, shard by shard, in the order in which a server would recover them: by id, then
// the buried ones in the order of their burial. After them come the tubes with their counts, and the
// total. Times are UTC. With -json every line is an object that tells its type, "queue", "job", "tube"
// or "total"; a body that is not UTF-8 is in base64, as "body_base64" instead of "body", and one that
// cannot be read is "body_damaged".
//
// A shard's jobs come after its queues, which are shown with their groups. If the queue service has
// changed a job, its tags and the rest are a JSON object, also in text. A job that only views of its
// queue still have is "passed".
//
// # What it changes
//
// D1. Dump, salvage and check change nothing in the directory that they read, no byte and
// no time of a file; it may be on a file system that is read-only. They only take a read lock on the
// lock file, so that no server starts meanwhile. A directory that is in use, or not beanfield's, is
// refused.
//
// # Salvage
//
// If a directory is so damaged that neither a server nor a dump opens it, -salvage copies what
// is readable to a new directory, which must not exist, and leaves DIR as it is. It lists what is not
// readable: each file or part of one, with the reason; ids that may have been there and are mentioned
// nowhere else; jobs whose bodies are incomplete; how many deleted jobs may be back; and whether groups
// of queues may be missing. If a job's delete was in an unreadable part, the job is back. If its last
// release, bury or kick was there, it has the state from before that. The store leaves unused files
// behind; they count only if nothing readable says which files are unused. New jobs get ids above the
// highest one found in any readable part, even if that job is deleted or cannot be read. A salvage that
// is killed leaves a directory that a server refuses.
//
// # A check
//
// Like a salvage, Verify reads all of a directory, bodies included, but it writes nothing.
//
// # Into a cluster and out
//
// D2. Nobody opens a directory that a founding (cluster init) has not finished; the next founding
// starts over in it. Where the cluster's logs begin is on disk before the directory counts.
//
// A founding opens the server's directory as a server does and folds its log, so files there change,
// but no jobs do. Then it copies the directory; on one file system the tables become links. Since the
// copy belongs to whoever runs the command, another user's directory is refused. A detach works on the
// node's directory itself. If it is interrupted, the directory is still the cluster's, and the detach
// must be repeated.
//
// D3. A node is not started while a reshard of its directory has been cut short, and a reshard can be repeated, or
// taken back, until the cluster has begun anew (package storage/cluster): it writes with what the node is to begin,
// and then has the manifest name the new shards. The old ones stay until the node opens the new ones.
package datadir
