// Package storage says what a shard needs of its log, and has the store that keeps
// nothing. The store on disk is package pebblestore, below this folder.
//
// # The problem
//
// A shard applies hundreds of commands in a turn and must not acknowledge any of
// them before it would survive a power cut. A sync of a disk takes from 0.1 to
// 10 ms, in which the shard could apply thousands more. When the process starts
// again, the log has to give back the state that was acknowledged, and it may take
// little more disk space than the living jobs need, however many have come and gone.
//
// A shard sees a Log: it adds records to the open batch, ends its turn with
// Commit, and learns through an Ack when the turn is durable. No call keeps the
// shard for long: it gives a body above LargeBody to the log, with Stage, before it
// puts the job, and goes on with other commands meanwhile.
//
// # Log, store, fold
//
//	shard --operations--> group --one record--> log
//	                                             |  the same bytes
//	                                             v
//	                                           window: the net effect of what the store lacks
//	                                             |  in shares, the oldest first
//	                                             v
//	                                           store
//
// A log is a sequence of numbered records (package turns). A record has the turns that one
// write carries, the hash of the record before it, and how far the log had been synced. The
// encoding knows nothing of files. On this machine the records are in files that are written
// in place and used again (package locallog): a group costs one write and one sync, and
// neither changes anything but the bytes.
//
// A store is a fold over its log: what all turns up to its place have left. The log fills up
// first, and then the store takes its oldest part as one share (package fold). What has come and gone by
// then, the store never hears of. The store on Pebble (package pebblestore) makes tables of a
// share, with the place, and takes them over at once, so Pebble needs neither a log nor
// memtables. When it has them, that part of the log is free again.
//
// A body that is not in memory is read from the log until the store has it. A start lays
// the net effect of the log's turns over the store and replays that.
//
// Whoever gives a store the same records makes the same store, except for bodies above LargeBody:
// those are staged beside the log. On several machines (package cluster) they go through the log, in
// pieces, so the same fold serves there.
//
// # Designs not taken
//
//   - Pebble's own log and memtables, as it was: 85,000 unpipelined durable cycles a second on
//     one core, where a bare loop with a log makes 111,000; 592,000 against 1,459,000 pipelined.
//     Each group woke Pebble's log writer, and each job went through a memtable, however soon
//     it was gone. And since Pebble takes an unreadable end for the trace of a crash, its log
//     had to be walked, marked and stamped from outside.
//   - The share as a batch for Pebble: then memtables and flushes decide when it is durable, and
//     a job costs a place in a skip list. As tables, new records go to the last level at once.
//   - Folding with each group, as a log of operations: nothing comes and goes within a group.
//   - A log for all shards together: shards would wait for each other's slowest fold.
//
// # Invariants
//
// Every log keeps these two. Its package says how.
//
// L1. Acknowledged implies logged: when a turn's Ack is told no error, or its Commit
// has returned true, the records of that turn and of all turns before it are in the
// log. They survive what the store's SyncMode promises; in Always mode that is a
// power cut. A turn that wrote nothing is acknowledged after every turn whose effects
// it can have seen. After the first error no more turns are acknowledged.
//
// L2. Replay gives the acknowledged state: the jobs that Replay finds are those after
// some turn, not before the last acknowledged one, each with its fields and its body
// as last recorded. MaxID is not below the id of any job that was acknowledged.
//
// A Memory log does not promise that anything outlives the process, and so keeps both
// by doing nothing.
package storage
