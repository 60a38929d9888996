// Command bench loads a server that speaks beanstalkd's protocol, measures what the
// load costs it, and compares servers side by side.
//
//	bench [flags]            one measurement of one server
//	bench compare [flags]    several servers, interleaved rounds, ratios
//	bench bare -p PORT       a bare queue: with -d DIR, one that answers when its log is on the disk
//	bench profile            where the server's time goes, for the compiler
//
// The packages below it, each of which imports only those that stand after it:
//
//	compare      rows, rounds, ratios and goals; the report, its tables and chart
//	profile      where the server's time goes under some loads
//	measure      one measurement of one server, started for it or already running
//	stalls       what a client waits while others disturb the server
//	generator    the load: connections, requests, replies, their verification
//	talk         conversations with a server, around a load
//	floor        a server that does the least: a bare loop, with a log or without
//	result       what a measurement found, and how its numbers are shown
//	load         what is asked of a server, as flags and as JSON
//	socket       drives connections without blocking
//	machine      the processors, and who uses them
//	tools/server a server as a process: start, end, output, CPU and memory
//
// testserver is a server for tests, which can answer wrongly.
package main
