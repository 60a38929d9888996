// Package repair says what is wrong with the files of a store, and reads what is left of them. It
// changes nothing: neither a check nor a salvage opens a database for writing.
//
//	witness.go  what the files of a database say about each other
//	salvage.go  what is readable of a damaged directory
//	files.go    which of its files count
//	table.go    the tables, as far as they can be read around damage
//	body.go     large bodies, put together from their pieces
//	queues.go   queues
//	log.go      the log of turns
//	ids.go      which ids are missing
//	doubts.go   which jobs may have been deleted
//	manifest.go the manifest of a database, without opening the database
//	records.go  the records of a manifest, and what follows them
//
// Pebble's own reader of a manifest takes the first place that it cannot read for the end of the file.
// This package looks at what follows, to tell damage from the torn end that a crash leaves.
//
// # The format of a manifest
//
// A file is divided into blocks of 32 KiB. A block holds consecutive chunks. No chunk crosses a block's
// end; if a block has no room for another chunk, its rest is zero. A record is one chunk, or a first, some
// middle and a last one. A chunk has a header and a payload:
//
//	4 bytes  checksum of all that follows the length
//	2 bytes  length of the payload
//	1 byte   type: which part of a record it is
//
// A record is an edit: a sequence of fields, each a tag and its value. An edit is synced before the next
// one is written. So if another edit begins after an unreadable place, the file has been damaged.
package repair
