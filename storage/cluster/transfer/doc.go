// Package transfer brings a snapshot from one node to another: a checkpoint of a shard's store, for a
// node whose copy is too old for the log, or broken. Between nodes only the engine's port is open, so
// everything goes as plain messages over the engine's connection.
//
//	Serve     a node's desk: makes snapshots when they are ordered, and sends them
//	Fetch     has another node make one, and brings it here
//	list      the files of a snapshot, and how they are cut into chunks
//	receiver  writes them
//	flow      how many chunks are under way
//	link      what both sides need of a connection
//
// A snapshot is a directory of plain files. The receiver asks until it is made, and is answered with the list of the
// files. Each is cut into chunks of one size, which the receiver asks for by number. It asks again until there is an
// answer, so the sender keeps nothing of what it has sent, and says nothing that it was not asked for, but why it
// gives up.
//
// # Invariants
//
//	SP1  The directory has its name only when it is whole: each file has its length, all
//	     files and the directory are synced, and then the directory is renamed. Until then it has
//	     another name, Partial.
//	SP2  A message that was lost, doubled, delayed, reordered or damaged changes nothing in what is
//	     received: each has a hash, each chunk its number, and each fetch an inbox of its own.
//	SP3  Nothing is written outside the directory, whatever the list says.
//	SP4  Neither side keeps more than a window of chunks in memory, and the list. The sender sends
//	     no chunk that was not asked for.
//	SP5  A sender that is not heard ends the fetch, in bounded time. A sender that is not asked gives the
//	     snapshot up.
//	SP6  The sender sends no more than its rate, but for a chunk and the credit of a tenth of a second.
//	SP7  On a slow link as few chunks are under way as keep it busy: what else goes there waits for
//	     a tenth of a second and two chunks at most, or little longer.
//	SP8  What was made for an order is removed once, when nothing more is wanted of it, or nobody asks. A node
//	     has mostOrders of them at most. An order that comes twice is filled once, while it lasts.
//	SP9  Between programs with different versions of these messages nothing is fetched, and both
//	     say why.
//
// Designs not taken. JetStream's object store is a stream of the engine: it would write and sync each byte
// three times before it arrives, and making a stream needs the leader of the group that makes streams, just when
// nodes are missing. What arrives is not read again, nor are files hashed: each message is, and the store's
// tables have checksums of their own.
package transfer
