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
package repair
