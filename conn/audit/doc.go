// Package audit records who did what: a line of JSON for each event, in a file or on standard
// error.
//
//	{"time":"2026-11-22T11:02:03.000000004Z","who":"mailer","from":"10.0.0.7:40112",
//	 "face":"beanstalk","what":"pause-tube","tube":"mail","refused":true}
//
// The front ends decide what is an event: every refusal, and whatever interferes with the work of
// others, such as pausing, kicking or deleting. An event never contains a token.
//
// # Nobody waits for the disk
//
// An event loop cannot wait until a line is written. So Tell only puts the event into a
// queue, and one goroutine writes the queue to the file:
//
//	front ends --Tell--> queue --> writer --> file
//
// If the queue is full, the event is lost. In place of lost events the writer puts a line with
// their count, {"time":…,"lost":12}, and the server's log reports them too. Events that cannot be
// written, for instance because the disk is full, are lost in the same way.
//
// # Invariants
//
//	J1  Tell never waits.
//	J2  Each event is written, as one whole line, or counted as lost.
//	J3  An event that was told before Reopen may be in either file. Later events are in the
//	    new one.
package audit
