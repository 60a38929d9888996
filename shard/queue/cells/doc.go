// Package cells has the containers of a queue: they know nothing of jobs, tubes or time.
//
// Ten million jobs are normal. So records have no pointers and name each other by slots,
// small numbers that are used again; memory comes in chunks that are never copied to grow,
// and that are given back when they are empty.
//
//	Slab       records of one type, by slot
//	Bytes      strings of bytes, in slabs by their size
//	Pages      a growing array; Numbered gives what is in one its numbers
//	Heap       the smallest key first; Positions say where each slot stands in it
//	Ranking    a heap beside another order, which may be forgotten
//	List       first come, first served, linked through its members; Line for those with pointers
//	Ring       first in, first out
//	Buckets    the heads of a hash's chains
//	Table      records by their hashes, most of which it remembers
//
// The chains of Buckets and the order of a queue's items are not here, but in package queue: they
// look into job records at every step, and generic code can do that only by indirect calls.
//
// The checks cite the invariants that package queue numbers: S3 for counts, S4 for positions
// and links, M2 for rankings.
package cells
