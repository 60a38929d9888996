// Package nodes runs a cluster on this machine: one process for each node, with a directory, a
// configuration and ports of its own, and, if wanted, a network between the nodes' engines that
// can be cut and delayed. It ends only processes that it started.
//
//	Cluster   the nodes together: start, status, stop
//	Node      one of them: kill, pause, restart, lose its disk
//	Network   the links between them
//
// A node listens at an address of its own, and is found by all others at another one, as the cluster's decision about
// its nodes has it: a door of the network. Who comes there is known by the process whose socket it is. Two engines may
// talk over a connection that either of them has opened. So a link is one direction, from one node to another: of each
// connection, what one node sends goes through one link, and what the other sends back through the other link. Clients
// that a node passes on to another go the same way. Engines tell each other where they have seen a third one, at its
// door's host and with its own port: the door has that port, too.
//
// A held link loses nothing: as with TCP, what was sent arrives when the link is healed, unless the connections are
// reset then. A held link does not pass on the end of a connection either.
//
// tools/bench, tools/cluster and tools/faults share this package.
package nodes
