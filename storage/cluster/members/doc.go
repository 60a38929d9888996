// Package members is what a cluster has decided about its nodes, and how that changes, one node at a time. It only
// computes: package cluster keeps a Table in the log of each shard, and carries out what Next says.
//
// A Table names the nodes that vote, with their addresses, how many of them are to keep each lane, and the Change that
// is under way. A log that has no Table yet has the nodes with which its lanes were made, and version 0.
//
// # A change
//
// An order becomes a Change in the next Table. It says what is still to be done, and each Table that follows says less:
//
//	Remove  a node leaves: first the lanes leave it, if another node can take its place (Streams), then it is no
//	        member any more, and at last its engine leaves the engines' group and all lanes (Expel)
//	Add     a node comes: its engine is let in and it gets its copy of each shard (Join), then it is a member
//	neither the lanes get as many peers as they should have (Streams), and the change is over
//
// To replace a node is to remove it and then to add it: between the two the cluster has one node less. The other way
// round no node is ever missing, but it needs another name: add d, then remove b.
//
// All that is not in a Table is found out again by looking. So whoever owns the shards next goes on with the same step,
// whatever has ended the owner before. An order about the node that is being changed takes the place of the change, so
// a change goes back when its opposite is said; all other orders wait.
//
// # Invariants
//
//	ME1  A Table has the version of the one before and one more, and at most one node that votes more or less. So
//	     majorities of the two have a node in common. It is written only when each shard has the one before, and the
//	     owner's lease has held with that one (package ownership says why).
//	ME2  A node votes only after it has had a copy of each shard. Its copies hold up purges from the time when the
//	     change that adds it has begun.
//	ME3  Lanes come to a node after it has come, and leave it before it leaves, if there is another one to keep them.
//	     Otherwise they are whole at all that stay.
//	ME4  There are two nodes at least. A change begins only while all nodes are there, but for the one that is to go.
//	ME5  A Since is used once: the engine takes a node that comes back for another one.
package members
