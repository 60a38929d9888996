// Command import moves jobs from beanstalkd's binlogs to a new data directory.
//
//	go run ./tools/import -from OLD_DIR -to NEW_DIR [-shards N] [-dry-run] [-jobs] [-json]
//
// # The source
//
// OLD_DIR is what beanstalkd had as -b. It is never changed: files are opened
// for reading only, and nothing is created there. While the import runs it holds
// a read lock on OLD_DIR/lock, which excludes beanstalkd's write lock, so that
// neither starts beside the other. A directory without a lock file, as a copy may
// be, is read without: the report says so.
//
// Read are binlogs of version 7 (beanstalkd 1.5 and newer) and 5 (up to 1.4.6),
// as a 64-bit little-endian machine wrote them, and those of 32-bit x86 and, for
// version 5, ARM. A file does not say what machine it comes from; layout.go tells
// it from the first record, and takes another than the usual only if that record
// makes sense in exactly one other layout and not in the usual one.
//
// # What becomes of the jobs
//
// Files are read from the lowest number up, records in their order (history.go).
//
//   - A record with a tube and a body makes a job, or is a copy that a compaction
//     made; one without changes the job that it names. One for a job that is not
//     known yet is passed over: the job is dead, or a copy of it comes later and
//     has everything. A delete is passed over in the same way and does not bar a
//     later record: beanstalkd copies no deleted job, but gives its id to a new
//     one when no full record of it is left at a restart.
//   - Ready and reserved jobs are ready. Delayed jobs keep the time at which they
//     become ready; those whose time has come are ready.
//   - Buried jobs are in the order of their burials, which is the order of the
//     bury records. beanstalkd forgets it at a restart and lists them as the log
//     happens to. A bury record is gone if a compaction has removed its file. Such
//     files are the oldest, so these jobs come before those whose record is there,
//     among each other in the order in which they were last reserved, the
//     nearest that a log tells.
//   - Counters stay as logged. beanstalkd adds one to a buried job's "buries" at
//     every restart; no such one is added.
//   - New jobs get ids above the highest of any record, deletes included.
//     beanstalkd goes on after the highest job alone and so gives ids twice.
//
// # What beanstalkd would lose
//
// beanstalkd refuses at a restart jobs of the maximum size, or one byte less, and
// with them the rest of their file. They are read here like any other.
//
// A log has no checksums. What a torn write leaves is told by what cannot be
// (record.go, history.go): a body that does not end in CRLF, times that are no
// whole seconds, a state that does not exist, a record that contradicts its job.
// It is skipped, and the report says where; an intact older copy of the job is
// used. Where a record's length is no longer known, the rest of that file is
// skipped, as beanstalkd does, and its deletes with it: some jobs may be back.
// Missing files, empty files, files of unknown versions are reported and left
// alone. An input/output error ends the import.
//
// # Memory
//
// Bodies stay on the disk: a first pass notes where the last whole copy of each
// body is, a second one reads them in that order. That takes about 400 bytes
// of memory a job, whatever its size.
//
// # The result
//
// NEW_DIR must be empty or not exist. It becomes a data directory at the very end
// or not at all. An import that fails removes what it has written; one that is
// killed leaves a directory that a server refuses, and in which the next import
// starts over. The exit status is 0 when all went well, also if records were
// skipped, 1 when not, 2 for wrong usage.
package main
