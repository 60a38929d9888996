// Package ondisk reads the manifest of a Pebble database as it lies on the disk, without
// opening it and without changing anything.
//
// Pebble's own reader stops at the first place that it cannot read and takes that for the
// end of the file. This package looks at what follows, so that its caller can tell damage
// from the torn end that a crash leaves.
//
// # The format
//
// A file is divided into blocks of 32 KiB. A block holds consecutive chunks. No chunk
// crosses from one block to the next; the rest of a block that has no room for another
// chunk is zero. A record is one chunk, or a first, some middle and a last one. A chunk
// has a header and a payload:
//
//	4 bytes  checksum of all that follows the length
//	2 bytes  length of the payload
//	1 byte   type: which part of a record it is
//
// A record of a manifest is an edit: a row of fields, each a tag and what it has. An edit
// is synced before the next one is written. So behind a place that cannot be read, there is
// the beginning of another edit only if something has damaged the file.
package ondisk
