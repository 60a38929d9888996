// Package audit writes down who did what: a line of JSON for each event, in a file or on
// standard error.
//
//	{"time":"2026-11-22T11:02:03.000000004Z","who":"mailer","from":"10.0.0.7:40112",
//	 "face":"beanstalk","what":"pause-tube","tube":"mail","refused":true}
//
// The faces decide what is an event: what only administrators should do, always, and
// everything else only if it was refused. A token is never part of an event.
//
// # Nobody waits for the disk
//
// An event loop cannot wait until a line is written. So Tell only puts the event into a
// queue, and one goroutine writes what is there:
//
//	faces --Tell--> queue --> writer --> file
//
// If the queue is full, the event is lost. The writer counts the lost ones, and writes a line
// that says how many they were, {"time":…,"lost":12}, where they would be; the server's log
// says it too. The same goes for events that could not be written, for instance on a full disk.
//
// # Invariants
//
//	J1  Tell never waits.
//	J2  Each event is written, as one whole line, or counted as lost.
//	J3  An event that was told before Reopen may be in either file; later ones are in the
//	    new one.
package audit
