// Package cells has the containers of a queue: they know nothing of jobs, tubes or time.
//
// Ten million jobs are normal. So records have no pointers: they refer to each other by slots,
// small numbers that are reused. Memory comes in chunks. They are never copied to grow, and are
// freed when empty.
//
//	Slab       records of one type, by slot
//	Bytes      strings of bytes, in slabs by their size
//	Pages      a growing array; Numbered is one that numbers its elements
//	Heap       the smallest key first; Positions say where each slot is in it; Timeline has
//	           both, for times
//	Ranking    a second order of things that have one already; it may be dropped at any time
//	Row        keys that came in order; cheaper than a heap
//	List       first come, first served, linked through its members; Line is one of pointers
//	Ring       first in, first out
//	Buckets    the heads of a hash's chains
//	Table      records by their hashes, of which it keeps a part
//
// The chains of Buckets and the order of a queue's items are in package queue instead: they read
// job records at every step, and generic code could do that only by indirect calls.
//
// The checks cite the invariants that package queue numbers: S3 for counts, S4 for positions
// and links, M2 for rankings.
package cells
