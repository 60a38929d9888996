// Package pebblestore keeps the jobs of each shard on the disk: a log of turns (package
// locallog), a store on Pebble that folds the log (package fold), and one data directory
// around them.
//
// Package storage explains log, store and fold, and states the invariants L1 and L2. This comment says how the
// package keeps them.
//
// # Why the invariants hold
//
// Acknowledged implies logged (L1): a turn is acknowledged after its operations, and those of all turns before it,
// have been appended to the log and, in Always mode, synced to disk. (In Interval and Never modes, a Commit that
// returns true promises only that they are in the committer's queue.)
//
// Why it holds: operations go into one open group. A group goes to the one committer as a whole, in order, and only
// between turns. It becomes one record of the log, and the committer calls its Acks after the log's Append and Sync
// have returned. A turn that wrote nothing joins the group under way or the open one, so its Ack too comes after
// everything that the turn can have seen. After the first error no Ack succeeds: the fault is noted before the call
// that met it returns, and the committer checks for a fault before it calls Acks. From then on another goroutine
// (reportFailure) takes all groups, and gives their Acks the error.
//
// Replay gives the acknowledged state (L2): by L1 and G2 (package locallog) the log on the disk
// is a prefix of the groups, each whole or not there at all, and it covers what was
// acknowledged. The store is exactly what its place says, because the place is in the same ingest as the share that
// ends there, and an ingest is on disk as a whole or not at all. So the store, with the net effect of the turns
// behind its place, is the state (FO1, package fold). A replay reads that state: it lays the net effect over the
// database in a batch that is never applied. A large body is on disk, in the database, before its record is in any
// group. So every record has its body. A body without a record, left by a crash between the two, is dropped. Its id
// may be used again, because each record has the checksum of its own body. Whatever is read is checked against a
// checksum that covers the key too, so one record cannot be mistaken for another.
//
// Each share has the highest id so far, and later ids are in the log. So if a job, or its end, survives a crash,
// the highest id is known.
//
// # What is on the disk
//
// See package directory for the directory, and package format for the file that says which parts of it are valid,
// and for keys and values. A job is one key with everything in it. After a release, bury or kick, a second, small
// key overrides its state, so bodies are written only once, apart from the log. A job that ends while its turns are
// in the log is never in a table.
//
// What the queue service adds to a job is in the same two keys, in values that have versions of their own. Tags do
// not change, so they are in the record. What changes is in the update, and so is the tube's name if the job was
// moved. Jobs that use none of this have the same bytes as before there was a queue service. A queue, with its
// groups and views, is one small key, written as a whole each time.
//
// What a cluster has decided about its nodes (Members) is one key, too, of a kind of its own. It is a part of
// checkpoints and of Sum. A server by itself has none: Found, Leave and a salvage leave it out.
//
// storage.Home of a tube's name chooses its shard, so a queue and its rear queue are in the same one. The manifest
// has this rule's number. A directory with another number is refused.
//
// A body above LargeBody is stored in pieces beside its record. They are written to tables outside the database,
// which then adopts these tables as they are (Pebble's Ingest). Through the log, a gigabyte would delay every other
// turn for 4 s or more, and then pass through memtables and compactions. The keys of pieces are above all others,
// so no other table overlaps with theirs: they go to the last level and stay there until their jobs are deleted.
// Removing a table keeps a processor busy, so a table has at most 16 MiB.
//
// # The rooms
//
//	format     the bytes of keys, values and the manifest, and who reads them
//	directory  a data directory: what lies in it, and whose it is
//	database   how Pebble's databases are opened, and what becomes of their errors
//	committer  appends groups of turns, tells their acks
//	repair     what is wrong with files, and what is left of them
//
// and here, where they come together:
//
//	store       a data directory, with the logs of its shards       store.go
//	shardLog    what the shard calls                                log.go, replay.go
//	append      has a group appended; waits for room; syncs         turnlog.go
//	fold        has the store follow the log                        folding.go
//	shardStore  the store of a shard: takes shares, says its place  shardstore.go
//	stager      writes large bodies, as pieces                      stager.go
//	unreadable  remembers which bodies cannot be read               bodies.go
//	relayed     reads jobs in one goroutine, queues them in another relay.go
//	space       refuses jobs before the disk is full                space.go
//	relief      frees space while there is too little               compact.go
//	compact     rewrites tables that hold too much garbage          compact.go
//	fit         makes a store small on a small disk                 options.go
//	Read        shows what is in a directory, and changes nothing   read.go
//	verify      refuses what is damaged, before it is touched       read.go
//	reshard     moves jobs to another number of shards              reshard.go
//	Resharding  does so with a stopped node's copies                reshard.go
//	Checkpoint  copies a running store                              checkpoint.go
//	Intake      fills a new directory, wholly or not at all         intake.go
//	Replicas    copies of shards whose logs are kept elsewhere      replicas.go
//	setAside    keeps such a copy that cannot be read, unused       aside.go
//	Found       begins a node's directory from a server's           joining.go
//	Prepared    a store for a router made ready while others serve  prepared.go
//	serving     such a copy, as the owner's router sees it          serving.go
//	tallies     what a log counts for the metrics                   tallies.go
//	Sum         says what a copy has at a record                    sum.go
//
// # Turns, groups and syncs
//
// Three words, for three things: the shard commits a turn; the committer applies a
// group of turns, which means that it appends it to the log; the log is synced.
//
// There are two groups: one open, one with the committer. The owner appends to
// the open one without a lock; the mutex is taken once when a turn begins to
// write and once when it ends. The committer takes the open group when it is free and running and no turn is under
// way; otherwise the end of the turn hands the group over. So the next sync serves all turns that end during a
// sync, and those that end before the committer has woken up. (If the first turn were handed over at once, it would
// be a group by itself, and every second sync would serve only a few turns: with 50 clients that cost an eighth of
// the throughput.)
//
// # Who applies
//
// With Always, a client that waits for each reply waits for a sync each time, and for
// every change of goroutine around it: event loop, committer, event loop. Each costs a futex
// call and the wake-up of another thread, 5 to 10 µs, while a sync takes 100. So a loop that
// would only wait may do the committer's work (push): it appends the group, syncs, and goes on.
//
// A loop pushes at the end of a round, for all turns committed in it (conn/beanstalk,
// section Commits). The first loop applies its group. Loops that push meanwhile leave their turns to the
// committer's goroutine, which the first one wakes when it is done. Where groups take a millisecond or more, that
// goroutine applies them all (pace, in package committer).
//
// # When something fails
//
// A failed sync may have lost pages that the kernel then calls clean, so it is never retried. Pebble expects its
// logger's Fatalf to end the process; going on after that would risk a manifest that names missing files. So the
// goroutine that calls Fatalf never returns from it. After either, the log reports the error to every turn, Room
// reports false, Stats says why, the process is told through Fatal, and the database is left alone: what it had
// made durable is there at the next start. Folds and compactions that fail for lack of space are repeated, since
// nothing is lost. Meanwhile the log fills up, and then turns wait.
//
// A failed read is different. A body that is damaged, or that the disk does not
// return, concerns only its own job: Body returns ErrUnreadable, the shard sets the
// job aside, and a compaction that meets the damage leaves its tables as they are. The
// compaction is tried again after longer and longer pauses, of 30 seconds at most. Until
// a salvage, the garbage in these tables stays, and if they are among the newest, tables
// may pile up above them until writes stall. A replay reports a job whose pieces cannot
// be read as Damaged, and fails if a record cannot be read.
//
// # Damage
//
// If Pebble cannot read a part of its manifest, it assumes that a crash cut the file off there. It goes on without
// the rest, and removes the tables that nothing names any more. So a single flipped bit can destroy thousands of
// jobs. So before Pebble opens a directory, verify reads it, changes nothing, and refuses it if something is
// missing that had been on disk.
//
// VE1. Everything that VE2, VE3 and VE4 say had been synced can be read. Otherwise the directory
// is refused and left as it was.
//
// VE2. The sync progress (package database) says how far the newest manifests have been synced. It is itself
// written and synced after each sync of a manifest, before anything relies on that sync: before a slot of the log
// is freed, or a table removed. So it is exact after a kill, a power cut and a clean stop.
//
// VE3. The log itself tells how far it had been synced: by its numbers, its hashes, what each record says of those
// before it, and its mark (package locallog, G3).
//
// VE4. The store's place is in the store itself, in the ingest of the share that ends there. The log continues from
// there, or begins before it. So the two can be compared: if the store has lost shares whose slots have been
// reused, no record of the log follows its place.
//
// If the sync progress is missing, VE4 still notices lost shares. What may then be lost unnoticed from the end of a
// manifest does no harm: shares whose slots are all still there are folded again, and a compaction's output can be
// missing only if its input was kept. If large bodies are lost, their jobs are reported as Damaged.
//
// Why there are no false alarms: all four speak only of syncs that had returned, so
// what they cover stays readable through any crash. (What comes after that may not: a disk may
// write the blocks of one sync in any order, and leave out some.) A manifest never becomes shorter while it is in
// use, and it is in use until a marker names another. The new manifest and the marker are synced before anything is
// removed or overwritten.
//
// What verify checks, for each shard:
//
//   - the markers, and the manifest that they name: it can be read as far as the
//     sync progress says, and nothing readable comes after an unreadable part;
//   - the tables that the manifest names: they exist and have the length that it says, and
//     their indexes, properties and range deletes can be read;
//   - Pebble's options, as Pebble will compare them;
//   - that the database opens, read only, and has a place;
//   - the log behind this place, as locallog will read it.
//
// and for the directory: beanfield.json matches its checksum, and the shards that it
// names are there, and no others. Damage inside a table's blocks is found when they are
// read, by their own checksums; it cannot be mistaken for the end of a file.
//
// What verify does not see: damage to the log that neither its mark nor a later record covers, as when the log is
// cut short after a power cut, beyond the number in an outdated mark. In Interval and Never modes it notices the
// loss of what was synced, not of all that was acknowledged.
//
// # Copies
//
// A node of a cluster has a copy of each shard: a store and a log like a single server's. An engine keeps the log's
// records on several machines, and Take writes those that count to the files here, byte for byte, without a sync.
// So the fold, the window and the replay work as usual, and a copy is always a prefix of the log. What a crash took
// from the files is read from the engine again, so VE3 does not apply to them: only the store is verified. The
// owner's committer appends a group through Upstream, and Take is given its records before that call returns.
//
// A damaged copy is moved to cluster/damaged, and an empty one takes its place. The empty one has the file "empty"
// until another node's copy arrives, or the log's first records. While that file is there, this copy replaces none
// that was set aside before, and Leave and Read refuse the directory. If a copy cannot be moved, it stays where it
// is and the node does not start. Nor does the node start if the disk fails to read, because that is not damage.
//
// A Resharding moves the jobs of a stopped node's copies to a new generation, as a server by itself does, whose shards
// then stand at the beginnings of new logs. Nothing of the old generation is removed until the node opens the new one:
// until it is known that the cluster begins with it, Return goes back.
//
// An owner acknowledges nothing without a lease, not even a turn that wrote nothing: it may have handed out a job.
// When the lease is gone, or an append fails, every later turn is told the error. The copy is not affected, and a
// later owner's router may serve it again.
//
// # Rejected
//
//   - One database for all shards, with a prefix for each: one log and one sync for all, but also one commit queue,
//     and compactions that mix what shards write. Measured on two cores with two shards: with a put and its delete
//     in each turn, 4,100 pairs a second against 8,000 with two databases; with 64 pairs in each turn, no clear
//     difference. With four shards a core, one database needs 20 to 50 % less CPU, because syncs are shared: a
//     reason not to have many more shards than cores. Also, a shard with a database of its own can be moved by
//     copying its directory.
//   - Records and updates under adjacent keys: one iterator would do for Replay,
//     but a compaction of updates would rewrite the bodies beside them.
//   - Single deletes of records: record and delete vanish where they meet, but if a compaction cannot read what is
//     behind a single delete, Pebble panics, and again at the next start.
//   - Range deletes of ids that are all dead: they need to know which are dead, and compact bounds the garbage
//     anyway. (The pieces of one large body are removed by a range delete.)
//   - Large bodies as plain files: copies, moves, salvage and recovery would have to handle them too. They already
//     handle tables.
//   - Looking up the highest id as the last key: any number of tombstones may follow
//     it, and the job that had it may be deleted.
package pebblestore
