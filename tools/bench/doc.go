// Command bench loads servers that speak beanstalkd's protocol, measures what the load costs them, and compares them.
//
//	bench compare [flags]    several servers, interleaved rounds, ratios; or two builds of beanfield, in pairs
//	bench bare -p PORT       a bare queue: with -d DIR, one that answers when its log is on the disk
//	bench profile            where the server's time goes, for the compiler
//
// The packages below it. Each may import only those that are listed after it:
//
//	compare      rows, rounds, ratios and goals; the report, its tables and chart
//	profile      where the server's time goes under some loads
//	measure      one measurement of one server that is started for it
//	stalls       what a client waits while others disturb the server
//	load         the load: connections, requests, replies, their verification; what a measurement found
//	floor        a server that does the least: a bare loop, with a log or without
//	socket       drives connections without blocking
//
// testserver is a server for tests, which can answer wrongly. Servers are started by tools/server.
package main
