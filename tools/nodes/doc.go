// Package nodes runs a cluster on this machine: one process for each node, with a directory, a
// configuration and ports of its own, and, if wanted, a network between the nodes' engines that
// can be cut and delayed. It ends only processes that it started.
//
//	Cluster   the nodes together: start, status, stop
//	Node      one of them: kill, pause, restart, lose its disk
//	Network   the links between them
//
// A node's configuration has its own real address and, for each other node, the address of a link. Two engines may
// talk over a connection that either of them has opened. So a link is one direction, from one node to another: of
// each connection, what one node sends goes through one link, and what the other sends back through the other link.
// Clients that a node passes on to another go the same way.
//
// A held link loses nothing: as with TCP, what was sent arrives when the link is healed, unless the connections are
// reset then. A held link does not pass on the end of a connection either.
//
// tools/bench, tools/cluster and tools/faults share this package.
package nodes
