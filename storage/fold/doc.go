// Package fold works out what is left of turns that a log has and a store does not: their
// net effect. A job that comes and goes meanwhile leaves nothing.
//
//	log --Absorb--> Window --Collect--> Share --> store
//	                  |                   |
//	                  '---- Find, Left    '-- Done
//
// A Window is told of all turns that are appended to a log, in order, and of their places. It
// remembers for each job where the operation is that counts: that of the record, and that of
// the newest update. It does not keep the operations themselves: they are in the log.
//
// A Share is what the store gets next: the net effect of the oldest turns. Its maker reads
// these turns again, and gives them to Collect, which takes what still counts. (Left tells it
// which slots it need not read.) A share is of turns that were absorbed before it began. When it
// is in the store, together with the place behind its turns and the highest id, Done makes the
// window forget it.
//
// # Invariants
//
//	FO1  The store with all shares up to a place, and then the turns behind that place, is the
//	     state after all turns: of the jobs, of the queues, and of the highest id.
//	FO2  Over all shares, a record is set at most once, and is removed at most once, and never
//	     set after it was removed, nor both in one share. So the store may remove it by a single
//	     delete. A record that was never set is removed only if its put and its end are on two
//	     sides of a crash's place.
//	FO3  At any time, each living job's record is where Find says, or in the store.
//
// FO1 holds after a crash too, when the turns behind the place are absorbed by a new window
// before its first share, although the shares have left out what ended later: a share is given
// to the store only when all turns that had been absorbed when it was sealed are durable. So
// what it left out has its end in the log, behind the place, and so has what replaced an update or
// a queue that it left out. There the end of a job that no store has is the end of nothing.
//
// Why FO2 holds: a window has a set entry only between the record's Absorb and its share's
// Done. A Delete finds it there before it is collected, and then both vanish; or finds it moving or
// gone, and then the record is in an earlier share than the end, since a share ends before
// whatever is absorbed after its beginning. After a crash the place decides which turns are
// absorbed again, and it is in the store with the share or not at all.
//
// Ids of jobs whose puts a crash took are given again. No share has had them, for the same
// reason: nothing behind what is durable was ever in one.
//
// # Rejected
//
//   - Bitmaps of the ids that have ended, set by the owner: as fast, but the owner and the
//     fold then share words, bodies still need an index, and a replica would need its own way.
//   - Keeping the operations in memory until they are folded: twice the memory for a backlog,
//     for reads that the system's cache serves.
//   - Giving the store all operations: that is a memtable, and a table, for jobs that are gone.
package fold
