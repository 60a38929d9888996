// Package format has the bytes that a store of jobs on Pebble writes: the keys and values of
// its databases, and the manifest of its data directory; and it reads what is in a database: as it
// is, or as the turns make it that its log has and it has not. It opens and writes no file.
//
//	keys.go      the keys, which say what kind of value is under them
//	record.go    a job: its record, and the update that overrides a part of that
//	item.go      what records and updates have of the queue service
//	queue.go     a queue, with its groups and views
//	place.go     how far a store has folded its log, and the highest id
//	manifest.go  which part of a data directory counts
//	fields.go    how numbers and texts are read
//	read.go      single values, queues, and large bodies
//	scan.go      all jobs, in the order of a replay
//	newest.go    a database with the net effect of its log, of which nothing is written
//	sum.go       what says whether two stores are equal
//
// Every value has a version and a checksum that covers its key, too, so that one record
// cannot be mistaken for another. What was written stays readable: golden files hold that.
package format
