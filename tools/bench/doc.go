// Command bench loads servers that speak beanstalkd's protocol, measures what the load costs them, and compares them.
//
//	bench compare [flags]    several servers, interleaved rounds, ratios; or two builds of beanfield, in pairs
//	bench bare -p PORT       a server that does the least; with -d DIR, it answers when its log is on the disk
//	bench through [flags]    what it costs clients to come to a node of a cluster that does not serve
//	bench nats -p PORT       the server of NATS, for compare -peers, which has other queue servers
//	bench hop -p PORT -to A  passes each connection on, with the least latency there can be
//	bench profile            where the server's time goes, for the compiler
//
// Its packages. Each may import only those listed after it:
//
//	compare      rows, rounds, ratios and goals; the report, its tables and chart
//	through      a cluster, directly and through another node
//	peers        other queue servers: how they are started, what is said to them, and one load for all
//	profile      where the server's time goes under some loads
//	measure      one measurement of one server, started for that
//	stalls       what a client waits while others disturb the server
//	load         the load: connections, requests, replies and their verification; results of a measurement
//	floor        a server that does the least: a bare loop, with a log or without
//	socket       drives connections without blocking
//
// testserver is a server for tests, which can give wrong answers. tools/server starts servers.
package main
