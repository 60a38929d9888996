// Command cluster starts three nodes on this machine, prints which node owns which shards, and
// stops the nodes.
//
//	go run ./tools/cluster
//
// It builds the server, and makes a directory with the configuration and data of the nodes a, b and
// c, on free ports of 127.0.0.1. It prints where each node listens, and the shards' owners, now and
// at each change. An interrupt, SIGTERM, or the end of its input stops the nodes, and removes the
// directory. With -dir the data stays, and the next start continues with it, on other ports.
//
// # For suites that start a server
//
//	cluster -through -server PROGRAM [-tls] [-config FILE] -l HOST -p PORT [-queue ADDRESS] [-z BYTES]
//
// takes the place of a server on whose command line a suite has -l and -p. The suite's clients come to a node that
// passes them on, over TLS if so, and the process becomes the node that serves (through.go). With -tls a gate in
// between speaks TLS for clients that do not (gate.go).
//
// It ends only processes that it started.
package main
