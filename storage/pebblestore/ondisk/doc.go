// Package ondisk reads the logs and the manifest of a Pebble database as they lie
// on the disk, without opening it and without changing anything.
//
// Pebble's own readers stop at the first place that they cannot read and take that
// for the end of the file. This package reads on after it, so that its caller can
// tell damage from the torn end that a crash leaves, and can save what follows.
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
//	1 byte   type: which part of a record it is, and which header it has
//	4 bytes  in logs: the number of the log, since a log may be written over an old one
//	8 bytes  in the newer logs: how far the log had been synced (in v2.1.7 too low)
//
// A log that was closed ends with a header of the next log's number, with neither
// checksum nor payload. A manifest has the short header and no such end.
//
// # Finding the next chunk after damage
//
// If the header of an unreadable chunk is plausible, the next chunk is where its
// length says. Otherwise every place in the rest of the block is tried. If none is a
// chunk, the next block certainly begins with one. A chunk found by trying may be part
// of a body that a client sent, made to look like a chunk: such records are marked, up
// to the next block.
package ondisk
