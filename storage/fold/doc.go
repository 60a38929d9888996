// Package fold computes the net effect of turns that a log has and a store does not have yet. A job
// that was put and deleted within them leaves nothing.
//
//	log --Absorb--> Window --Collect--> Share --> store
//	                  |                   |
//	                  '---- Find, Left    '-- Done
//
// A Window is told of all turns that are appended to a log, in order, and of their places. For each
// job it remembers where two operations are: the one that set the record, and the newest update.
// The operations themselves stay in the log.
//
// Of what a cluster says of its nodes only the newest counts, as of a queue. It is apart from the queues: each name may
// be that of a queue, also the empty one, which has the policies of run time.
//
// A Share is what the store gets next: the net effect of the oldest turns. The caller reads these
// turns again and gives them to Collect, which takes what still counts. (Left says which slots need
// not be read.) All turns of a share were absorbed before the share began. When the share is in the
// store, together with the place after its turns and the highest id, Done makes the window forget
// it.
//
// # Invariants
//
//	FO1  The store with all shares up to a place, followed by the turns behind that place,
//	     gives the state after all turns: of the jobs, the queues, and the highest id.
//	FO2  Over all shares, a record is set at most once and removed at most once. It is never
//	     set after it was removed, nor set and removed in one share. So the store may remove
//	     it by a single delete. A record that was never set is removed only if the place found
//	     after a crash lies between its put and its end, or if its end was absorbed after a share with
//	     the put had been collected that was given up, because the log could not be read on.
//	FO3  At any time, each living job's record is where Find says, or in the store.
//
// FO1 holds after a crash too, if a new window absorbs the turns behind the place before its first
// share. A share may have left out jobs that ended after its turns. But it is given to the store
// only when all turns absorbed before it was sealed are durable. So the ends of those jobs are in
// the log, behind the place, and so is whatever replaced an update or a queue that the share left
// out. Replaying the end of a job that the store does not have does nothing.
//
// Why FO2 holds: a window has a set entry only between the record's Absorb and its share's
// Done. If a Delete finds the entry before it is collected, both vanish. If the Delete finds it
// moving or gone, the record is in an earlier share than the end, because a share has nothing that
// is absorbed after it began. After a crash the place decides which turns are absorbed again, and
// the store has both the place and the share, or neither.
//
// If a crash loses a put, its job's id is given again. No share has had that id, because a share
// contains only what is durable.
//
// # Rejected
//
//   - Bitmaps of the ids that have ended, set by the owner: as fast, but then the owner and the
//     fold share memory words, bodies still need an index, and a replica would need another method.
//   - Keeping the operations in memory until they are folded: it doubles the memory of a backlog,
//     only to save reads that the system's cache serves.
//   - Giving the store all operations: it would write jobs that are gone to a memtable and a table.
package fold
