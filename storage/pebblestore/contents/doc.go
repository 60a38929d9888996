// Package contents reads what is in a database of jobs: as it is, or as the turns make it that
// its log has and it has not.
//
//	read.go    single values, queues, and large bodies
//	scan.go    all jobs, in the order of a replay
//	newest.go  a database with the net effect of its log, of which nothing is written
//	relay.go   passes jobs from a scan to another goroutine
package contents
