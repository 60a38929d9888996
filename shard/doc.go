// Package shard is one shard of the queue: the tubes, jobs, heaps and waiters
// that belong together because their tubes' names hash alike.
//
// # Two halves
//
// State is the queue itself: a synchronous machine that is told the time and
// never asks for it. It has no goroutine, no clock and no I/O, so every rule
// of the queue can be tested by a list of operations, and a run of random
// operations repeats from its seed.
//
// Shard runs a State among many goroutines without a lock. Somebody who wants
// operations applied brings a Batch to Submit. One compare-and-swap takes an
// idle shard; the caller then applies his batch in place, on his own
// goroutine, and gives the shard back. If it is not idle he leaves the batch
// in the mailbox, and whoever has the shard will come to it. So a command
// costs no hand-over between threads unless two of them really meet. The
// shard's own goroutine serves deadlines, and queues that have become too long
// for a connection to work off on the way.
//
// The one interleaving that matters: a submitter pushes after the owner has
// looked into the mailbox. The owner stores "idle" first and looks again
// after; the submitter pushes first and tries to take the shard after. With
// both orders fixed at least one of them sees the other. The same argument
// holds for the alarm, with the timer as submitter.
//
// # A turn
//
// A turn takes all that is in the mailbox, reads the clock once, applies, does
// what is due, closes the log's open batch, and answers: at once when the log
// keeps nothing, else when the log says that the batch is safe. Meanwhile the
// next turns go on. Turns are bounded: kick, detach and Tick move at most a
// few hundred jobs, a batch gathers at most a quarter megabyte of bodies, and
// whoever runs the shard for himself works off a few dozen batches of others
// and leaves the rest to the shard's goroutine.
//
// A put with a large body leaves its turn at once: the log is to write the body
// first, beside everything else, which may take seconds. Then the shard's
// goroutine applies the put, in a turn like any other. Until then the id is
// taken, but there is no job.
//
// # Delivery
//
// A job that becomes ready is matched with the first waiter of its tube
// (wait.go), whatever made it ready: put, release, kick, a passed delay or
// deadline, a disconnect, the end of a pause. The waiter's gate decides
// whether he still waits; package router tells why that is enough for waits
// over several shards.
//
// # Memory
//
// Ten million jobs are normal, so a job costs few bytes and no pointers.
// Records, positions, heap entries and hash buckets stand in chunks that the
// garbage collector does not look into, and that never have to be copied to
// grow. A job that only waits to be reserved has a record, a place in a heap
// and a link in the index; deadline, list links and counters come in a second
// record, its trail, when it first leaves that way. Small bodies stand in
// cells by size; bodies above 2 KB are memory of their own, which answers
// refer to instead of copying.
//
// # Invariants
//
//	S1  A job is in exactly one place: ready, delayed, reserved or buried.
//	    Between an un… and the next make… (places.go) it is in none, and
//	    nobody else can look.
//	S2  Only whoever has taken the shard touches its state, its clients and
//	    its log.
//	S3  Every counter equals what walking the state would count.
//	S4  A heap entry's position is the one that its job, tube or client
//	    remembers.
//	S5  A tube has a reason to exist: a job, a user or a watcher. The pinned
//	    one needs none.
//	S6  An open tube never has both ready jobs and waiters. One is shut while
//	    it is paused, and after that until its waiters have been served, which
//	    may take several turns.
//	L1  What has been acknowledged has been logged (record.go); in the log's
//	    strictest mode it is durable.
//	L2  Restoring what the log replays gives the state that was acknowledged.
//
// State.Check walks everything and cites these numbers. R1 to R3, of waits,
// stand in package router.
//
// # Reading order
//
// op.go (what can be asked), state.go, places.go, jobops.go, reserve.go and
// wait.go; then shard.go and turn.go; heap.go, slab.go, index.go and body.go
// when you want to know how it is so small.
package shard
