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
// It ends only processes that it started.
package main
