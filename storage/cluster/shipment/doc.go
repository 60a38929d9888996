// Package shipment brings a directory from one node to another: a checkpoint of a shard's store, for a
// node whose copy is too old for the log, or broken. Between nodes only the engine's port is open, so
// everything goes as plain messages over the engine's connection.
//
//	Offer     the sending side: the directory can be fetched, until somebody has it or nobody asks
//	Fetch     the receiving side: pulls, checks and writes it
//	Serve     a node's desk: makes directories when they are ordered, and offers them
//	Order     has another node make one, and fetches it
//	list      the names and lengths of what is in the directory
//	source    reads the stream; landing writes it
//	link      what both need of a connection
//
// The stream of a shipment is the list and then the files, in the list's order, end to end. It is cut
// into chunks of one size, so many small files cost no more than a large one. The receiver asks for
// chunks by number. Each chunk carries the hashes of the files that end in it.
//
// # Invariants
//
//	SP1  The directory has its name only when it is whole: each file has its length and its hash, all
//	     files and directories are synced, and then the directory is renamed. Until then it has
//	     another name, Partial.
//	SP2  A message that was lost, doubled, delayed, reordered or damaged changes nothing in what is
//	     received.
//	SP3  Nothing is written outside the directory, whatever the list says.
//	SP4  Neither side keeps more than a window of chunks in memory, and the list. The sender sends
//	     nothing that was not asked for.
//	SP5  A sender that is not heard ends the fetch, in bounded time. A sender that is not asked ends
//	     the offer. Release is called once, before Ended says so.
//	SP6  The sender sends no more than Rate, but for a chunk and the credit of a tenth of a second.
//	SP7  On a slow link as few chunks are under way as keep it busy: what else goes there waits for
//	     a tenth of a second and two chunks at most, or little longer.
//	SP8  What was made for an order is removed once, when its offer ends, or if there is none. A desk
//	     has mostOrders of them at most. An order that comes twice is filled once, while it lasts.
//	SP9  Between programs with different versions of these messages nothing is fetched, and both
//	     say why.
//
// The receiver asks again for what is missing when no chunk has come for a while. What waits for its
// turn because of Rate is not sent twice: the sender keeps a set of what is wanted, and answers an
// ask that adds nothing by saying that it is still there.
//
// One receiver at a time: the sender serves the one that asked last.
//
// Designs not taken. A stream of the engine would write and sync each byte three times before it
// arrives. Replies to requests, one for each chunk, are as fast only if many are under way, and
// then need what is here anyway. A file is not hashed before it is sent: it would be read twice.
// What arrives is not read again: the store's tables have checksums of their own.
package shipment
