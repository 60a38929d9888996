// Package nodes runs a cluster on this machine: one process for each node, with a directory, a
// configuration and ports of its own, and, if wanted, a network between the nodes' engines that
// can be cut and delayed. It ends only processes that it started.
//
//	Cluster   the nodes together: start, status, stop
//	Node      one of them: kill, pause, restart, lose its disk
//	Network   the links between them
//
// A node's configuration names a link's address for each of the others, and its own real address.
// Two engines may talk over a connection that either of them has opened. So a link is a direction,
// from one node to another: what is said over a connection goes through one link, and what is said back through the
// other.
//
// A link that is held loses nothing: as with TCP, what was sent arrives when the link is healed,
// unless the connections are reset then. The end of a connection does not get through it either.
//
// It is shared by tools/cluster and tools/faults.
package nodes
