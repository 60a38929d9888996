// Package repair says what is wrong with the files of a store, and reads what is left of them. It
// changes nothing: neither a check nor a salvage opens a database for writing.
//
//	witness.go  what the files of a database say of each other
//	salvage.go  what is readable of a damaged directory
//	files.go    which files count in that
//	table.go    the tables, with what can be read between damage
//	body.go     large bodies, put together from their pieces
//	queues.go   queues
//	log.go      the log of turns
//	ids.go      which ids are missing
//	doubts.go   which jobs may have been deleted
//	manifest.go the manifest of a database, without opening that
//	records.go  the records of a manifest, and what comes behind them
//
// Pebble's own reader of a manifest stops at the first place that it cannot read, and takes that for the
// end of the file. This package looks at what follows, so that damage can be told from the torn end that a
// crash leaves.
//
// # The format of a manifest
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
// A record is an edit: a row of fields, each a tag and what it has. An edit
// is synced before the next one is written. So behind a place that cannot be read, there is
// the beginning of another edit only if something has damaged the file.
package repair
