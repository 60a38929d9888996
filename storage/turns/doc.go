// Package turns encodes the records of a shard's log. A record carries the turns that
// one append writes, and everything that a reader needs to tell whether it belongs where
// it was found. It knows nothing of files: the same bytes go to a file of this machine or
// to an engine that keeps them on several.
//
// # A record
//
//	4 bytes  magic and version
//	4 bytes  length of the turns; the highest bit says that the next record goes on with them,
//	         the one below it that they go on with those of the record before
//	8 bytes  origin: which log this is, a number that nobody outside knows
//	8 bytes  epoch: which ownership of the shard wrote it
//	8 bytes  number: dense, from 1
//	8 bytes  before: the hash of the record before, or 0
//	8 bytes  synced: up to which number the log was known to be durable at the time of writing
//	         the turns
//	8 bytes  hash: xxHash64 of all that
//
// All numbers are little endian. The hash is checksum and link at once: each record
// names the hash of the one before it, so two records with the same number but different
// contents cannot be confused.
//
// Synced is what distinguishes a torn tail from damage. If a record can be read, then
// every record up to its Synced had been made durable before, and whatever of these
// cannot be read has been damaged since. A record that cannot be read, and that no such
// claim covers, may be what a crash left of an append that nobody was told of.
//
// The origin is random, so a client cannot put a job whose body has a record of this log
// in it. A copy of a real record (a backup that somebody sends as a job) does no harm
// either: its number is lower than that of the record around it.
// (So a log that goes on from a restored backup needs a new origin.)
//
// # Turns in parts
//
// Turns that do not fit into one record go in several, all but the last marked More, all but
// the first marked Rest. They count when all parts are there: parts that a record without Rest
// follows are void. Parts may be cut anywhere, so a reader puts them together before it looks
// into them.
package turns
