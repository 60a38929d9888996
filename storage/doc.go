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
