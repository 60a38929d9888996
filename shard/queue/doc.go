// Package queue is one shard's queue: the tubes whose names hash to it, with their jobs, heaps and waiters.
//
// State is a synchronous state machine that is told the time and never asks for it. It has no clock, no goroutine, no
// lock and no I/O. So a list of operations tests any rule of the queue, and a random run can be repeated from its seed.
// Package shard runs it among goroutines.
//
// # Six verticals
//
// The names of files say which of these they belong to:
//
//   - Without a prefix, the core, what beanstalkd is. What is asked, and when it is done: op, batch, state, tick. Jobs:
//     job, places, jobops, put, with options and keys, and record, what the log has of them and of their tubes. Who
//     takes them: tube, client, wait, reserve, manytubes. What is told of all that: stats.
//   - policy_: what policies and limits do, one hook each where a job enters (full), comes back (deadletters), becomes
//     ready and gets too old (age). What a policy needs to know of its tube, and how many jobs it hands out, is in
//     policy.go; what can be said and computed without a job is in package policy.
//   - move_: jobs that go to another shard: leaving, arriving, and their route.
//   - bulk_: everything that takes many jobs in shares: list, alter (deletes of several, too), purge (and truncate),
//     and the grave in which jobs lie after that.
//   - tag_: reserves that ask for jobs with certain tags have an index of those.
//   - items_: what the queue service adds: service, item, group, consumer; how items are found (ask, get, gets,
//     index), sent (push, delivery), and done with (pending), also by further groups (view); and the hooks.
//
// The core meets the others at their hooks: a look at a nil pointer (tube.policy, tube.service, State.tagIndexes),
// a flag of the job's record (flagRoute), or a row of the table of operations (state.go). What it calls of items is in
// items_hooks.go. Put what is true for every tube into the core, and what only the queue service knows into items.
// Containers that know nothing of jobs are in package cells.
//
// Only rules and containers are packages of their own. Nearly every line of the other verticals reads or moves a job,
// a tube or a client. As packages they would need these records exported, or an accessor for each field, with which
// anybody could break S1 to S7; and the core would call each of them through an interface.
//
// # What runs a queue
//
// The goroutine that holds the queue calls Run with a Batch, and Tick at the time that Next gives. Then it does what
// the queue itself cannot do:
//
//   - It commits the log. After that it wakes the waiters in Woken, calls the gets in Called, gives consumers their
//     delivery batches (TakeDeliveries), tells the directory of the jobs in Gone, and releases the answers.
//   - It reads the bodies that an answer lacks (Batch.Lacking, Batch.Supply), that a waiter is
//     waiting for (Awakening.Fetch), or that a delivery batch lacks (DeliveryBatch.Fetch).
//   - It gives the body of a put that ends with Staging to the log, calls Op.Staged, and runs the batch again.
//   - It runs a batch again that ends with More, after others.
//
// # Delivery and bounds
//
// A job that becomes ready is matched with the first waiter of its tube (wait.go), whatever made it ready. The
// waiter's gate decides whether it still waits; package router says why that is enough for waits over several shards.
//
// One turn does a bounded amount of work, so that others wait for the shard only a fraction of a millisecond. Work
// without a natural bound is done in steps, and all steps of a turn have one share together (tick.go). An operation
// that finds the share used up ends with More and goes on in a later turn. Each batch that is run can do at least one
// step (leastShare), so no client waits for ever. A client that watches many tubes takes one place in a queue of all
// such clients, and its search goes on over several turns (manytubes.go). A client whose wait has ended in another
// shard, and that has not withdrawn from this one yet, leaves the queues before waiters are counted (sweep).
//
// # Queue service
//
// A tube that the queue service has touched has a service (items_service.go). A queue's first group is the tube itself:
// each of its consumers is a client of the shard that watches the tube, and what the client holds is pending. So
// workers and consumers wait in one line. Every further group is a view (items_view.go), which gets each job too and
// keeps its own account: undelivered, pending, or done. What a consumer gets, commits, refuses or leaves behind is one
// code for both (items_pending.go, items_push.go). All that a turn pushes to a consumer is one delivery batch, which
// leaves when the turn is committed.
//
// A job that the first group is done with, and a view is not, is passed: only the queue service sees it. It ends when
// the last group is done with it. A dead letter then goes where its fate says.
//
// Limits.MaxDelivery bounds how often an item is sent to the consumers of a group. What is counted, and logged in the
// same turn, is how often it was taken back: refused, held too long, or left behind. To log each push would be a write
// for each. So an item may be sent more often than that: after a restart; to a consumer that connects again in time;
// and because a refusal of what is not pending counts nothing. While the log has no room even for updates, items are
// taken back all the same, and none dies.
//
// The queue service finds items by their indexes, tags and request ids. A tube that it has touched has an item index
// (items_index.go) and the gets that wait (items_gets.go). That costs 8 bytes for each job, and 12 more
// for one with a request id.
//
// # Jobs that go to another shard
//
// A dead letter may go to a tube of another shard, and so may a job that a client moves. It is leaving then: nobody
// sees it, and Load, Arrive, Depart and Show take it there in four steps, each of which begins when the log keeps the
// one before (move_leaving.go, move_arriving.go). Package router drives them. A copy that arrives has a new key in the
// log (storage.KeyOf), so no log ever has a key twice. What a restart may find is in move_arriving.go. What a job
// keeps of all that is its route (move_route.go).
//
// # Policies and limits
//
// A tube for which there is a policy (policy.go) has more rules than beanstalkd: where a job enters (policy_full.go),
// comes back (policy_deadletters.go), becomes ready and gets too old (policy_age.go), and is handed out (policy.go);
// and where a client that watches several tubes is offered a job (manytubes.go). For other tubes all of that costs one
// look at a nil pointer.
//
// The same code enforces the limits of queues (policy.Limits), with two differences: a length counts a queue with its
// rear queue, and deliveries count for each group. A policy.Quota, shared by all shards, bounds all jobs of the server
// (policy_full.go). A put without room may wait for it in the line of
// its tube (policy_full.go).
//
// # Purges
//
// A truncate ends the jobs of a tube at once, however many there are: it takes the tube's heaps over, whole, as a
// grave (bulk_grave.go). For everybody who asks, these jobs have ended; their memory is given back in shares. The log
// has one note of it (bulk_purge.go) until it has been told of the end of each job. Few jobs are ended one by one, in
// one turn. If very many jobs stay, if the log has no room for the note, or if a queue has passed items, it takes many
// turns of 20 to 45 µs, and a crash between them leaves some jobs undeleted.
//
// # Memory
//
// Ten million jobs are normal, so a job costs few bytes and no pointers. Records, positions, heap entries and hash
// buckets are in chunks that the garbage collector does not scan, and that are never copied to grow. A job that only
// waits to be reserved has a record, a place in a heap and a link in the index. The rest is in a second record, its
// rare fields, which a job gets when it first needs one. Small bodies are in cells by size; a body above 2 KB has an
// allocation of its own, to which answers refer.
//
// # Invariants
//
//	S1  A job is in exactly one place: ready, delayed, reserved, buried, passed, leaving,
//	    arriving, or in a grave.
//	    Between an un… and the next make… (places.go) it is in none, and
//	    nobody else can see that.
//	S3  Every counter equals what walking the state would count.
//	S4  The position of an entry of a heap or a row is the one that its job, tube or
//	    client remembers.
//	S5  A tube has a reason to exist: a job, a user, a watcher, or that the queue
//	    service needs it (items_service.go). The pinned one needs none.
//	S6  An open tube never has both ready jobs and waiters for them. A tube is shut while
//	    it is paused or throttled, and after that until its waiters have been served,
//	    which may take several turns.
//	S7  A search misses nothing: no tube that it has passed has a job to offer,
//	    except in its first pass, where it remembers the best (manytubes.go).
//	Q1  An item is pending at no more than one consumer of a group.
//	Q2  What is pending at a consumer never exceeds its window, except while a new
//	    connection is sent again what was pending before.
//	Q3  An item ends when all groups that have it are done with it, or when it is ended
//	    for all, and not before.
//	Q4  Every counter of a group equals what a walk over its consumers would count.
//	Q5  No consumer with room is forgotten. One that takes every item waits in its tube's
//	    line, or is listed among those with room, which are fed at the end of this turn or of
//	    a later one. A filtered one, which wants certain items only, is listed too, unless it
//	    has seen all jobs that are ready or its tube is shut.
//	Q6  A consumer without a connection is either leaving, with a time at which its items
//	    go to others, or has departed, and then has nothing pending.
//	Q7  In a queue that has ended, each consumer that listens, and whose group is done with
//	    all items, has been told so, or is told at the end of this turn or a later one.
//	F1  An item index has the jobs of its tube and no others, in the order of their ids. It
//	    has all of them as soon as it is whole (items_index.go).
//	F2  Each of these jobs that has a request id is in the ring of that id's hash.
//	F3  No get waits for an item that it could look at. While one waits for an item
//	    that it could take, another is called for that item.
//	F4  Every registered get either waits in one line or is called.
//	V1  A view has each job of its tube that has become ready since the view was made, if
//	    it wants the job's index and tags: undelivered, pending at one of its consumers,
//	    or done. As soon as it is built, it also has the jobs that were there before.
//	V2  A passed job has a view that is not done with it.
//	V3  While a view has undelivered jobs, and a consumer waits in its line, one of its
//	    consumers is called, unless the tube is paused.
//	V4  The numbers of a queue's views grow, and none is used again.
//	M1  A tube's counts of its jobs and their bytes equal what walking them would count.
//	QT1 What a shard counts for a server's limits (policy_full.go) is what walking its jobs would count. A put is
//	    admitted only if with it there is no more than there may be, of all shards together.
//	RW1 A put that waits for room stands in the line of its tube, once, and its client knows of it.
//	RW2 Between two turns there is no room for the first put in a line, unless the next turn looks again.
//	M2  A ranking has the jobs that it is to rank and no others, under their keys. It has all
//	    of them as soon as the pass over all jobs that it needs is over (policy.go).
//	M3  A tube whose jobs may get too old stands in the timeline of ages by its oldest one,
//	    and no other tube does.
//	M4  A tube that is shut by its policy has as many reserved jobs as it may have, or stands
//	    in the timeline by when its debt leaves room for the next one.
//	M5  The notes of a tube (record.go) are those that the log has of it, and outlive the tube.
//	LJ1 A list shows each job that its filter chooses, and that lives from its first page to its
//	    last, once. It shows no job twice, and none of a tube that its authorizer refuses.
//	SK1 No tick of a schedule is put into a tube twice, and none after a later one: the note of
//	    the last one is logged with its job (record.go).
//	TG1 A tag index has no jobs but the ready ones of the shard that have its tags, and as soon as it is whole all
//	    of them; in each tube in the order of the tube.
//	TG2 A job that is ready in an open tube, and a client that waits for tags that the job has, and watches the
//	    tube, are never there at once: this is S6 with tags. Nobody waits in a tag index that is not whole.
//	TG3 Every tag index belongs to a client whose latest tags it has.
//	Y1  Of each key of a tube there is one record in the table of keys, found by its hash. If the
//	    job that it names lives, that job refers to the
//	    record, or has moved to another tube; no other job refers to it.
//	Y2  A key without a living job has a window. Keys with a window stand in the timeline of
//	    windows, and no others.
//	Y3  A ready, delayed or buried job whose put has said when it is too old stands in the timeline
//	    of lives by that time. A passed or moving job may stand there; a reserved one never does.
//	Y4  Of puts that are carried out together each has made a job, with its key and name, in one turn, or had
//	    come before; or none has changed anything.
//	TR1 A leaving job has a target, and is in one of two lists: of those that nobody takes yet, and of
//	    those that somebody takes. It counts for no tube. An arriving job counts for its tube.
//	TR2 A job departs only after its copy in the other shard, with one hop more, is in that log for
//	    good; and the copy is shown only after that, when the delete is in this log for good. So of the
//	    copies that logs have, the one with most hops is the job, and nobody has ever seen an
//	    older one since that was shown.
//	GR1 A job that lies in a grave says so when it is asked (interred), and no other does. It is found by its
//	    id, and in nothing else that a client can ask for. A tube with graves keeps its number.
//	GR2 While jobs lie in graves of a tube, and are in the log, the log has a note that says of each of them, and
//	    of no other job, that it has ended. The note is deleted in the turn that logs the end of its last job.
//	B1  What an operation has borrowed, Op.Data and the parts of a put, belongs to whoever has
//	    submitted it. Run reads it until the operation has been applied, and then lets go
//	    of it: nobody can read it in an answer. The queue copies what it keeps; it takes over
//	    the parts of a put, and a log that stages them may keep them.
//	B2  A batch that comes back later than its submitter's buffers last has copies of its own
//	    for what is not yet applied (Retain).
//
// State.Sound looks at some of them, and Check, of the tests, walks everything; both cite these numbers. Others are
// stated where they are kept, and hold here too. S2, package shard: only the goroutine that has taken the shard
// touches a State and its clients; its Config never changes. R1 to R3, package router, are
// about waits. L1 and L2, package storage: what has been acknowledged has been logged
// (record.go), and restoring what the log replays gives that state, with those jobs buried
// whose bodies cannot be read (batch.go).
//
// # Reading order
//
// op.go (what can be asked), batch.go, state.go, tick.go, places.go, put.go, jobops.go, reserve.go, wait.go,
// manytubes.go, tag_index.go, policy.go and bulk_grave.go; then package cells and job.go for how a job stays so small.
// For the queue service: items_ask.go, items_hooks.go, items_service.go, items_consumer.go, items_push.go,
// items_pending.go, items_index.go, items_gets.go and items_view.go.
package queue
