// Package router leads connections to shards: it knows which shard owns a tube
// and which a job, deals out ids, keeps what a connection uses and watches, and
// makes one reserve out of tubes that live on several shards. It has no
// goroutine and no lock on the way of a job.
//
// # The problem
//
// A worker that watches tubes on five shards wants the best job of all of them.
// Nobody sees five shards at once, and while the worker asks one of them, jobs
// and other workers come and go at the rest.
//
// # What reserve guarantees
//
//   - A job is handed to at most one waiter.
//   - A waiter gets at most one job for one reserve.
//   - No wake-up is lost: it never stays so that a worker waits while a tube
//     that it watches, and that is not paused, has a ready job.
//   - Nothing stale is left: a worker that watches one busy and a thousand idle
//     tubes and reserves a million times leaves nothing in the idle shards.
//   - Waiters of a tube are served first come, first served.
//   - While nothing else happens, the job is the one with the smallest
//     (priority, id) of all watched tubes that are not paused.
//
// # What it does not
//
//   - That a better job is preferred which comes while the reserve runs.
//   - An order between waiters who began to wait at different shards first.
//   - An order between jobs that become ready in different shards at once.
//
// Example. A worker watches mail (shard 1) and video (shard 2). Mail offers
// job 7 with priority 10, video has nothing. Before the worker claims job 7,
// somebody puts job 8 with priority 0 into video. The worker gets job 7: it was
// the best of what it had seen. Had another worker taken job 7 meanwhile, the
// claim would bring the next best of mail; had mail become empty, the worker
// would ask both again and get job 8.
//
// # How a reserve runs
//
// If all watched tubes are on one shard, it is one operation there, and can
// share a batch with others (ReserveInPlace). Else it is a script: ask each
// shard for an offer, its best (priority, id), which binds nobody; claim from
// the best offerer, and ask again if nothing is left there; with no offers, arm
// the gate and register as a waiter, shard by shard.
//
// The gate is one atomic word: the ticket of the wait that is on, or 0. A wait
// ends by a compare-and-swap from its ticket to 0, and there is no other way
// out. A shard that wins delivers; one that loses drops the entry and tries the
// next waiter. The session itself takes the same step on timeout and hang-up.
// Whoever has won, the session then withdraws from every shard it had asked,
// and only then does the reserve end. The winner has also taken the wait out of
// the counts, so stats shows no waiter whose job is reserved.
//
// # Sessions and scripts
//
// A Session is a connection's part of all this. Its owner runs it, one
// goroutine at a time. A call is completed at once if the shards that it needs are
// idle. Otherwise it reports false, a batch of it is in a mailbox, and Notify asks
// the owner to come back and call Resume. Commands that need
// several shards are a list of operations, played one after the other
// (script.go): after each batch the script stands on data, not on a goroutine's
// stack, so ten thousand waiting connections need no goroutine each. At most
// one batch of a session is under way at any time, which keeps the order of its
// commands (C1) and makes its later batches come after its earlier ones at
// every shard.
//
// # Ids
//
// Ids are dense from 1, drawn from one counter when a put is accepted: by the
// shard that applies it or, if its body is yet to come, by the session. The
// directory finds a job's shard by its id: a tree of pages with one byte an id,
// read and written by atomic operations alone. An id begins once and ends once;
// a page counts those that have not ended, and at zero nobody can need it any
// more, so it goes without asking anybody. Tubes need no directory: the hash of
// the name says where they live.
//
// # What answers tell of others
//
// An answer may show what somebody else has just done. It must not show what a
// power cut can still undo, and then the client would meet a job of which it was
// told that there is none. So whatever a shard answers waits for the commit of
// its turn and of all turns before it (L1). A connection answers NOT_FOUND
// without a shard if the directory does not know an id; hence the directory
// forgets a job when its delete is committed, and not when it is applied. Asking
// all shards about unknown ids would have the same effect, at the price of all
// their syncs.
//
// The list of tubes is not covered: list-tubes, and current-tubes in stats, show
// what is in memory at that moment. A tube is no promise: it is there because of
// clients as well as jobs, is not logged, and after a restart exists if it has
// jobs. To have the list wait for every shard's log would make consoles wait that
// ask for it all the time.
//
// # Invariants
//
//	R1  One delivery per claim: a waiter is given a job exactly if a shard has
//	    claimed its gate, and a job leaves the ready ones in the same step.
//	R2  The directory and the shards agree: a living job is in the shard that
//	    the directory names and in no other; an id that has ended is in none.
//	    It ends when the log has the job's delete: between the two the directory
//	    leads to the shard, which says that there is no such job.
//	R3  No stale waiter: when a reserve has ended, no shard has an entry of it.
//
// # Why it holds
//
// What a shard does with one batch is one step: nobody sees a part of it.
//
// No lost wake-up. Take a waiter X and a job that becomes ready in a tube of
// shard S that X watches. S applies either X's Wait first, or what made the job
// ready. In the first case X is in the tube's queue when the job comes, and the
// queue is served from its head until it or the jobs run out. In the second
// case Wait finds the job and delivers it at once, through the gate. If the
// claim fails, X's wait is over and the job stays for others. So it does not
// matter that the offers were old when X began to wait: they only decide
// whether it begins. The end of a pause serves the queue like a new job.
//
// One job, one waiter. Claiming the gate and taking the job out of the ready
// ones are in the same step of S, and the job is in no other shard.
//
// One waiter, one job. Several shards may serve X at the same time; the gate
// lets one of them through. Tickets are never used twice, so a shard that comes
// late cannot end a later wait.
//
// Nothing stale. The owner withdraws only after the last Wait has been applied,
// from every shard it has sent one. A Wait that comes to a shard after the gate
// was claimed may still register; the withdrawal comes after it. A hang-up
// closes the gate, or loses to a shard; then Detach, which comes last at each
// shard, takes the entries out and puts back what was delivered.
//
// It ends. A claim that finds nothing was overtaken by somebody who got, took
// away or paused a job: each repetition is paid for by another's progress.
//
// The tests do not believe this: they run all interleavings of two or three
// such actors over the real sessions and states (interleave_test.go; with
// -thorough some millions of them), random ones of many (simulation_test.go),
// and real ones on many goroutines (history_test.go).
//
// # Rejected
//
//   - A goroutine for each waiter and shard: simple to write, but a thousand
//     watched tubes are then a thousand stacks, and cancelling them is the same
//     race again.
//   - Taking the shards of a reserve as locks, in order: correct, and every
//     reserve over five shards stops five shards.
//   - Offers that bind, so that the losers' jobs are given back: jobs would
//     seem reserved that nobody wants, and others would be told there are none.
//   - One matcher for all shards: the single thread that this is to replace.
//   - A map with a lock as the directory: every command by id would meet there.
//     The shard's number in the id's bits: ids would not be dense.
package router
