// Command cluster starts three nodes on this machine, tells who owns what, and stops them.
//
//	go run ./tools/cluster
//
// It builds the server, and makes a directory with the configuration and the data of the nodes a, b
// and c, on ports of 127.0.0.1 that are free. It prints where each of them is, and the shards'
// owners, now and whenever they change. An interrupt, SIGTERM, or the end of its input stops the
// nodes; a directory that it made itself goes with them. With -dir the data stays, and the next
// start goes on with it, on other ports.
//
// It ends no process but those that it started.
package main
