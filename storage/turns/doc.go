// Package turns encodes the records of a shard's log. A record carries the turns that one append
// writes, and all that a reader needs to tell whether the record belongs where it was found. The
// package knows nothing of files: the same bytes go to a file, or to an engine that keeps them on
// several machines.
//
// # A record
//
//	4 bytes  magic and version
//	4 bytes  length of the turns; the highest bit (More) says that the next record continues
//	         them, the bit below it (Rest) that they continue those of the record before
//	8 bytes  origin: which log this is, a number that nobody outside knows
//	8 bytes  epoch: which ownership of the shard wrote it
//	8 bytes  number: 1, 2, 3, …
//	8 bytes  before: the hash of the record before, or 0
//	8 bytes  synced: up to which number the log was known to be durable at the time of writing
//	         the turns
//	8 bytes  hash: xxHash64 of all that
//
// All numbers are little endian. The hash is both checksum and link: each record has the hash of
// the one before it, so two records with the same number but different contents cannot be confused.
//
// Synced is what distinguishes a torn tail from damage. If a record can be read, then every record
// up to its Synced was durable before; if one of those cannot be read, it has been damaged since.
// An unreadable record that no Synced covers may be the remains of an append that a crash cut
// short, and that was never acknowledged.
//
// The origin is random, so a client cannot forge a record of this log in the body of a job. A body
// with a copy of a real record, as from a backup, does no harm either: the copy's number is lower
// than that of the record around it. (So a log that continues from a restored backup needs a new
// origin.)
//
// # Turns in parts
//
// Turns that do not fit into one record are split over several: all but the last are marked More,
// all but the first Rest. They count when all parts are there: parts that are followed by a record
// without Rest are void. Parts may be cut anywhere, so a reader puts them together before it looks
// into them.
package turns
