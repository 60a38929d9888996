// Package router connects connections to shards: it knows which shard owns a tube
// or a job, allots ids, remembers what a connection uses and watches, and makes one
// reserve out of tubes that live on several shards. Handling a job takes no lock
// and no goroutine of its own.
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
//   - A waiter gets at most one job for one reserve, or as many as it has asked for.
//   - No wake-up is lost: a worker never keeps waiting while a tube that it
//     watches, and that is not paused, has a ready job, or one with the tags that it asks for.
//   - Nothing stale is left: a worker that watches one busy and a thousand idle
//     tubes and reserves a million times leaves nothing in the idle shards.
//   - Waiters of a tube are served first come, first served.
//   - If nothing changes meanwhile, the job is the one with the smallest
//     (priority, id) of all watched tubes that are not shut: paused, or at a limit of their
//     policy. If one of the watched tubes has a weight, it is the one with the smallest
//     (tag, priority, id): see Weights.
//
// # What it does not guarantee
//
//   - That a better job is preferred if it comes while the reserve runs.
//   - An order between waiters that registered with different shards first.
//   - An order between jobs that become ready in different shards at once.
//   - The ratio of weights at each moment: clients that reserve at once in several shards can
//     be off by the jobs that are under way. What they got is counted, and made up for.
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
// share a batch with others (ReserveInPlace). Otherwise it is a script: ask each
// shard for an offer, its best (priority, id), which is not binding; claim from the
// shard with the best offer, and ask again if nothing is left there; if there are no
// offers, arm the gate and register as a waiter, shard by shard.
//
// A reserve of several jobs (several.go) asks each shard for as many offers as it wants jobs, finds
// out which are the best of all, and claims these: one round of offers and one of claims, however
// the jobs lie in the shards. It takes what it gets, and asks again only if that is nothing. If it
// had to wait, it does the same once for what else there is, and then answers. In one shard it is
// one operation. A hang-up gives back whatever it has by then, as with all jobs that a session holds.
//
// A reserve may ask for jobs with certain tags, and to be told more of them. It is one of several jobs,
// and its operations carry the tags: each shard offers, lets claim and gives to waiters only jobs that have
// them (TG1 to TG3 of package queue). All else holds as it is: to each step, jobs
// without the tags do not exist. So with tags, too, a worker never keeps waiting while a job that it asks for is ready.
//
// A shard whose log has failed answers every question with a failure. A reserve takes
// what other shards offer; if they offer nothing, it fails instead of waiting. (A wait
// that began before goes on, and jobs of the other shards can still end it.)
//
// The gate is one atomic word: the ticket of the wait that is on, or 0. The only
// way to end a wait is a compare-and-swap from its ticket to 0. A shard that wins
// delivers; one that loses drops the entry and tries the next waiter. The session
// itself takes the same step on timeout and hang-up. Then the session withdraws
// from every shard it had asked, whichever side has won, and only then does the
// reserve end. The winner has also taken the wait out of the counts, so stats shows
// no waiter whose job is reserved.
//
// Until the session has withdrawn, its entries in the other shards are stale. stats-tube must not count them, because
// everybody can see that the wait is over. So whoever ends a wait first notes the session's other places in their
// shards' lists (leavers.go), and each shard drops these entries before it counts.
//
// # Weights
//
// Tubes that have weights have tags (package policy, FairScheduler): the more they have been served, in
// jobs by weight, the higher. Offers carry the tag, so the best of all shards is found as
// always, and a reserve of several jobs is offered, and claims, what as many reserves would take.
// The tags belong to a fair scheduler, and all sessions that watch the same tubes are in one
// (fairschedulers.go): otherwise what sessions take that watch other sets of tubes would count against tubes that this
// set has not served. The shards share nothing of a fair scheduler but its clock, one atomic word. A delivery to
// somebody who waits counts like a claim. FairSchedulers are in memory, and begin anew with the router; those that
// nobody is in are kept for who comes next, up to a bound.
//
// # Sessions and scripts
//
// A Session is a connection's part of all this. Its owner runs it, one
// goroutine at a time. A call is completed at once if the shards that it needs are
// idle. Otherwise it reports false, a batch of it is in a mailbox, and Notify asks
// the owner to come back and call Resume. A Caller is a session for a goroutine that may
// simply wait until then, as the console's do. Commands that need several shards are a
// list of operations, played one after the other (script.go). Between batches the
// state of a script is data, not a goroutine's stack, so ten thousand waiting
// connections do not need ten thousand goroutines. At most one batch of a session
// is under way at any time, which keeps the order of its commands (C1) and makes
// its later batches come after its earlier ones at every shard.
//
// A call that plays very many batches rests after a few dozen (maxSteps): it reports
// false although no batch of it is under way, and Notify brings the owner back to
// Resume when others have been served. So a client that watched three hundred
// thousand tubes leaves in small steps.
//
// # Ids
//
// Ids are dense from 1, drawn from one counter when a put is accepted: by the
// shard that applies it or, if its body is yet to come, by the session. The
// directory finds a job's shard by its id: a tree of pages with one byte for each
// id, read and written by atomic operations alone. An id begins once and ends once;
// a page counts the ids that have not ended, and at zero it can be dropped, because
// nobody can need it any more. Tubes need no directory: a hash of the name says where
// they live (ShardOf), and is the same for a queue and its rear queue (storage.Home).
//
// # What answers show of other clients' work
//
// An answer may show what another client has just done. It must not show what a
// power cut can still undo: otherwise a client could be told that a job is gone and
// later find it. So every answer of a shard waits for the commit of its turn and of
// all turns before it (L1). A connection answers NOT_FOUND without a shard if the
// directory does not know an id; hence the directory forgets a job when its delete
// is committed, and not when it is applied. Asking all shards about unknown ids
// would have the same effect, but would wait for all their syncs.
//
// The list of tubes is not covered: list-tubes, and current-tubes in stats, show
// what is in memory at that moment. A tube promises nothing: it exists because of
// clients as well as jobs, is not logged, and after a restart exists if it has
// jobs. If the list waited for every shard's log, consoles that ask for it all the
// time would be slow.
//
// # Invariants
//
//	R1  One delivery per claim: a waiter is given a job if and only if a shard has
//	    claimed its gate, and the job leaves the ready heap in the same step.
//	R2  The directory and the shards agree: a living job is in the shard that
//	    the directory names and in no other; an id that has ended is in none. While a
//	    job goes to another shard, nobody sees it in either; the directory names the
//	    one that it leaves until that has it no more, and then the one where it arrives.
//	    An id ends when the log has the job's delete. Between that and the delete
//	    itself the directory still names the shard, which answers NOT_FOUND.
//	R3  No stale waiter: when a reserve has ended, no shard has an entry for it.
//
//	B4  A session and its scripts keep nothing of their callers: a name that is given as
//	    bytes is made a string before the call returns. What a batch of Submit borrows is
//	    borrowed as packages shard and queue say (B1, B2). A delivery that was copied
//	    (Session.small) and a Reservation are valid until the session's next call, or Trim.
//
// # Jobs that go to another shard
//
// Package mover takes them, in four steps that are batches like those of clients (TR2, package queue). A client that
// moves jobs (alter.go) is answered when its mover says that they have arrived, or are home again because their tube
// is full. A hang-up stops no move.
//
// A restart may find both copies. Then reconcile makes the older one leaving and the newer one arriving, before
// anybody is served, and the mover goes on.
//
// moves_test.go makes a crash after each turn of each log, and power cuts that leave each log another
// length, also with another number of shards after it.
//
// # Why it holds
//
// What a shard does with one batch is one step: nobody sees a part of it.
//
// No lost wake-up. Take a waiter X and a job that becomes ready in a tube of
// shard S that X watches. S applies either X's Wait first, or the operation that
// made the job ready. In the first case X is in the tube's queue when the job comes,
// and the queue is served from its head until there are no waiters or no jobs left.
// In the second case Wait finds the job and delivers it at once, through the gate.
// If the claim fails, X's wait is over and the job stays for others. So it does not
// matter that the offers were old when X began to wait: they only decide whether X
// waits at all. The end of a pause serves the queue like a new job.
//
// One job, one waiter. Claiming the gate and taking the job out of the ready heap
// are in the same step of S, and the job is in no other shard.
//
// One waiter, one job. Several shards may serve X at the same time; the gate
// lets one of them through. Tickets are never used twice, so a shard that comes
// late cannot end a later wait.
//
// Nothing stale. The owner withdraws only after the last Wait has been applied,
// from every shard it has sent one. A Wait that comes to a shard while the gate is
// being claimed may still register; the withdrawal comes after it. A hang-up
// closes the gate, or loses to a shard; then Detach, which comes last at each
// shard, takes the entries out and puts back what was delivered.
//
// It ends. A claim finds nothing only if another client has meanwhile reserved,
// removed or paused the job: each repetition means that somebody else made progress.
// An operation that takes several turns of a shard, such as the search of a client
// that watches very many tubes, ends in a bounded number of them (package queue).
//
// The tests do not rely on this argument: they run all interleavings of two or
// three such actors over the real sessions and states (interleave_test.go; with
// -thorough some millions of them), also with consumers and gets of the queue service
// (consumerscenarios_test.go), random interleavings of many actors (simulation_test.go), and
// real ones on many goroutines (history_test.go).
//
// # Rejected
//
//   - A goroutine for each waiter and shard: simple to write, but a thousand
//     watched tubes are then a thousand stacks, and cancelling them is the same
//     race again.
//   - Taking the shards of a reserve as locks, in order: correct, but every
//     reserve over five shards stops five shards.
//   - Binding offers, with the losers' jobs given back: jobs that nobody wants
//     would seem reserved, and other workers would be told that there are none.
//   - One virtual time for all weighted tubes, with a tag for each tube alone: a busy tube that one
//     kind of workers watches moves it on, and a tube of other workers that was empty for a moment
//     then waits until its neighbours have caught up, which may be for hours.
//   - One matcher for all shards: that is the single thread that this replaces.
//   - A map with a lock as the directory: all commands by id would contend for it.
//     The shard's number in the id's bits: ids would not be dense.
package router
