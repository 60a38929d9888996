// Package binlog moves jobs from beanstalkd's binlogs to a new data directory.
//
//	beanfield import -from OLD_DIR -to NEW_DIR [-shards N] [-dry-run] [-jobs] [-json] [-skip-unreadable]
//
// # The source
//
// OLD_DIR is the directory that beanstalkd had as -b. It is never changed: files are opened for
// reading only, and nothing is created there. The import holds a read lock on OLD_DIR/lock, which
// excludes beanstalkd's write lock. So neither can start while the other runs. A directory without a
// lock file, such as a copy, is read without one, and the report says so.
//
// It reads binlogs of version 7 (beanstalkd 1.5 and newer) and 5 (up to 1.4.6), as
// written by a 64-bit little-endian machine, by 32-bit x86 and, for version 5, by
// 32-bit ARM. A file does not say which machine wrote it. layout.go finds out from
// the first record: it assumes the usual layout, unless the record makes no sense there and makes
// sense in exactly one other layout.
//
// # What becomes of the jobs
//
// Files are read from the lowest number up, records in their order (history.go).
//
//   - A record with a tube and a body creates a job, or is a compaction's copy of one. A record
//     without them changes the job that it names. If that job is not known yet, the record is ignored:
//     either the job is deleted, or a copy with everything comes later. A delete of an unknown job is
//     ignored too, and a later record with that id counts. For beanstalkd never copies a deleted job,
//     but reuses its id if a restart finds no full record of it.
//   - Ready and reserved jobs become ready. Delayed jobs keep the time at which they
//     become ready; those whose time has come are ready.
//   - Buried jobs keep the order in which they were buried, which is the order of the
//     bury records. (beanstalkd forgets it at a restart, and lists them in the order of
//     its log.) If a compaction has removed the file with the bury record, that file was among the
//     oldest. So such jobs come first, in the order in which they were last reserved: the log has
//     nothing closer.
//   - Counters stay as logged. beanstalkd adds one to a buried job's "buries" at
//     every restart; an import does not.
//   - New jobs get ids above the highest of any record, deletes included.
//     beanstalkd goes on after the highest living job, and so reuses ids.
//
// # What cannot be read
//
// At a restart, beanstalkd refuses jobs of the maximum size, or of one byte less, and with them the
// rest of their file. An import reads them like any other.
//
// A log has no checksums. A torn write is recognised by what beanstalkd never
// writes (record.go, history.go): a body that does not end in CRLF, times that are
// not whole seconds, a state that does not exist, a record that contradicts its
// job. Such a record is skipped, and the report says where; an intact older copy of the job is used.
// If the length of a record is unreadable, the rest of that file is skipped, as beanstalkd does. Its
// deletes are skipped too, so some jobs may be back.
//
// A file in which not one record makes sense is unreadable: it has another version,
// comes from another kind of machine, or is damaged from its beginning. Its jobs
// would be lost, and their ids given again. So the import fails and writes nothing.
// With -skip-unreadable it leaves such files out. If that leaves no file at all, it
// still fails. A file that is empty or all zeros does no harm: beanstalkd was killed after it made the
// file and before it wrote to it. Missing files are reported. An input/output error ends the import.
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
// or not at all. An import that fails removes what it has written. One that is
// killed leaves a directory that a server refuses, and in which the next import
// starts over.
//
// The import has succeeded even if records, or with -skip-unreadable whole files, were
// left out. A dry run ends as the import would.
package binlog
