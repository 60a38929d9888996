// Package database opens Pebble's databases as a store of jobs needs them, and classifies errors:
// which end a database, which make it wait, and which concern one table only.
//
//	sharing.go       how databases are opened, and what those of a store have in common
//	fault.go         the first error after which a database must not be used
//	reporter.go      what Pebble reports, and what that means
//	errors.go        errors of reading
//	strict.go        the file system of a database
//	tablefile.go     writing a table yields to other goroutines
//	checkedtable.go  blocks of tables are checked when they are read
//	frozen.go        a read-only file system
//	progressfile.go  the sync progress: how far manifests have been synced, as bytes of a file
//	progress.go      when the sync progress is written
//	scheduler.go     when compactions begin, and the pause after one that cannot read its
//	                 tables
package database
