// Package database opens Pebble's databases as a store of jobs needs them, and knows what becomes
// of errors: which end a database, which have it wait, and which concern one table only.
//
//	sharing.go       how databases are opened, and what those of a store have in common
//	fault.go         the first error after which a database must not be used
//	reporter.go      what Pebble reports, and what that means
//	errors.go        errors of reading
//	strict.go        the file system of a database
//	tablefile.go     tables that are being written let others run
//	checkedtable.go  blocks of tables are checked when they are read
//	frozen.go        a file system that is only read
//	progressfile.go  how far manifests have been synced, as it is kept
//	progress.go      and as it is written
//	scheduler.go     when compactions begin, and rests after one that cannot read its tables
package database
