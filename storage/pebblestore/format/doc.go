// Package format encodes what a store of jobs on Pebble writes: the keys and values of its
// databases, and the manifest of its data directory. It also reads a database: as it is, or with
// the net effect of the turns that only its log has. It opens and writes no file.
//
//	keys.go      the keys, which say what kind of value is under them
//	record.go    a job: its record, and the update that overrides a part of that
//	item.go      what the queue service adds to records and updates
//	options.go   what has been added to records and updates since: options, routes, keys
//	queue.go     a queue, with its groups and views
//	place.go     how far a store has folded its log, and the highest id
//	manifest.go  which part of a data directory counts
//	fields.go    how numbers and texts are read
//	read.go      single values, queues, and large bodies
//	scan.go      all jobs, in the order of a replay
//	newest.go    a database with the net effect of its log, which is not written
//	sum.go       checksums that tell whether two stores are equal
//
// Every value has a version, and a checksum that covers its key too, so one record cannot be
// mistaken for another. Older values stay readable: golden files test that.
package format
