// Package cluster makes a node of this process: one of several machines that keep the same shards, of
// which one at a time owns all. It stands between the engine (package jetstream), the rules of the log
// (package lanes) and the server.
//
//	Node      the engine, the streams, the copies, and this node's place among the others
//	Term    a time during which this node owns all shards: the server appends in it
//	replica   one shard at this node: its lanes' driver and its copy
//	promises  the file with what the node has promised as a voter
//	rebuild   a copy that the lanes cannot complete begins anew, from another node's checkpoint (package
//	          transfer)
//	damage    a copy that cannot be read is set aside, and replaced in the same way
//	table     which nodes the cluster has decided to have (package members), as this node knows it
//	admit     a node waits until it is one of them
//	changes   what an operator changes of that, step by step
//	Status    what all nodes have said of themselves last
//	Verify    compares the copies of all nodes
//	asks      what nodes ask each other: operators' orders, how copies compare, who founds the cluster
//	Founding  with what a cluster begins: the jobs of a server by itself, or of a cluster with other shards
//
// Who owns the shards, and when, is decided by package ownership: arithmetic that is told of messages
// and of time, and says what is to be done. Here are the goroutines, the files and the messages
// around it.
//
// # The goroutines, and what each owns
//
//	loop      the Election, and all that the replicas' "loop's own" fields say. Everybody else
//	          gives it functions to run (do, ask); none of them waits.
//	keeper    the file of promises
//	steerer   nothing; it asks for the two lanes of a shard to be led by two nodes, and rather not by the owner
//	changer   nothing; it keeps the newest table, and at the owner carries out the steps of a change
//	presence  nothing; it tells the others that this node is there, and has the engine rest
//	rebuilder one for each copy that begins anew, until it has: its files
//	desk      nothing; it makes checkpoints for other nodes (package transfer)
//	drivers   one for each shard (package jetstream): its log, and Take of its copy
//
// A driver waits for its copy (Take), never for the loop. The loop waits for nobody, because beats are
// answered by it: what takes long has a goroutine of its own.
//
// # Invariants
//
//	CN1  A promise is in a file that is synced before any answer says so.
//	CN2  A term holds only until the time that the leases of all shards last told (P10). Asking is
//	     two loads and a look at the clock, and needs no lock.
//	CN3  A term that was lost or has ended never holds again, and appends nothing.
//	     Every answer about jobs, also that there is none, is given by a shard, whose log asks first. So a client of
//	     such a term hears INTERNAL_ERROR until its connection is cut. What says nothing about jobs still leaves, as
//	     USING does; so does the TIMED_OUT of a wait that began before, and what stats, list-tubes and
//	     administrators' pages count may be old. An answer that was on its way when the process was stopped
//	     leaves when it goes on: it was true after the question had come.
//	CN4  A copy is given every record that counts, in order, once; when it refuses one it is given
//	     none any more, and its node owns nothing until it starts again.
//	CN5  Nothing is purged that a node's copy has not said to be durable in this ownership, unless the
//	     node was given up by an operator (P8).
//	CN6  Streams and stores of another cluster, another log or another number of shards are refused.
//	CN7  Who the members are is in the log of each shard, and nowhere else: in what the copies have of it, or, without
//	     that, in what the streams were made with. A configuration only says how a node finds the others, and where
//	     its own engine listens; what it says otherwise is told, not obeyed.
//	CN8  An engine takes part only at a node that is a member, or is about to be one: a process that has no
//	     promise, or one of an earlier member of its name, begins with an engine that rests, and asks the others.
//	     Who was removed ends, and waits when it is started again.
//	     One that has promises, and has lost its table, asks too. If nobody tells it one for some seconds, it goes on
//	     as who made the promises, so that a majority comes up whose tables are all lost. It might as well have kept
//	     a table that is old: its promises are whole, since they are in the file before anybody is told (CN1), and
//	     who is let in as another member drops them before. So it is no blank voter (P12), and nobody has promised
//	     more under this name and Since. If it was removed since, nobody counts what it answers (P17), and it ends as
//	     soon as its copies say so. From others, too, it takes no table from before it was let in.
//	CN9  A process that waits to be a node is nobody to the others: its engine has a name of its own, it answers
//	     no questions once it has heard that there is a cluster, and tells no presence. It becomes the node that
//	     the cluster has under its name only if the cluster's address of that leads to it: perhaps it is to
//	     replace a machine that is still the node. And only when no node hears another process that is this one since
//	     the same decision, or a later one: a copied configuration may lead to two machines. One that has just died is
//	     heard for some 1.4 s (partition.Missed); one that nobody hears cannot be told from a dead one (I5).
//	CN10 A directory is one node's: the file "node" in it says whose, from when that one first takes part. Another one
//	     is refused it, as on a machine that has got another name, and with it another node's.
//
// # Nodes come and go
//
// An operator's order becomes a members.Table in the log of each shard (decide), if the rules let the owner append it
// now (package ownership, MayChange). The owner's changer looks five times a second what the table says is to be done
// next (members.Next), and does a part of it. All of it can be done again: so the owner may be lost anywhere, and
// the next one goes on. Followers learn the table with their copies, and from beats who the members are.
//
// A node that joins has its engine let in, and then begins as one whose copies are empty: it fetches checkpoints, and
// its answers to beats hold up purges, before it votes. Who votes changes only when most of the copies are durable
// (P16), so each node folds its own while a change is under way, ever more rarely while it waits; and whoever owns the
// shards then appends a turn to each, so that no parts are at a log's end. A node that leaves goes on until it has
// read that it is no member. It keeps its files: when it is added again, it is another one to the engine and to the
// rules (Since), and its promises are forgotten as if its disk was new (P12). Its copies are still copies of this log.
//
// The engine has lost acknowledged messages when members changed under partitions and kills (its report #7545). What
// protects from that: a record is on one lane or the other, and only one copy of one lane of one shard moves at a
// time, the lane that is not in use, while all copies that stay are whole, as these say themselves; no change begins
// while a node is missing, but for the one that is to go; a node joins with an identity that the engine has
// never seen; and nothing is purged that a copy lacks. If a majority is lost in the middle, everything stands still
// until it is back: no change goes on without it.
//
// # Damaged copies
//
// A copy that is found damaged at the start is set aside by the store; it is empty then, and fetched at once. One that
// meets damage in use stays in use: its node says so, and another node is preferred as owner; purges still count this
// copy. It is replaced once another node has one that is whole, its own node does not serve, and the last such
// replacement is an hour ago. If it cannot be fetched, the damaged one is used again, and a minute later it is tried
// again. So damaged nodes never wait for each other: the best there is serves. A node that cannot open its copy when
// it is to serve lets the others try for a minute.
//
// # Another number of shards
//
// It changes while the cluster is stopped: a command moves the jobs of a node's copies to new shards, and leaves a
// Founding (ReshardName) with where the new logs begin, and what the node knows of the old ones (Former). Where they
// begin is computed from where the copies stood: copies that have the same begin the same logs. The streams of the new
// logs are another generation. At the next start nodes show each other their Foundings. One whose copy is complete
// makes the streams, and the cluster begins with that copy; who has another one sets it aside and fetches that. Nobody
// can say alone whether his copy is complete: perhaps another node served after him. So:
//
//	RS1  A node that has owned the shards knows when it ends: all that was acknowledged in these epochs, or in older
//	ones,
//	     has numbers up to those of its copies (Ended). Its copies have what it acknowledged (E7), and what older
//	     owners did (P7). That is said of the log, and stays true.
//	RS2  A node that has a Founding votes for no epoch of the old log. It votes again only if the operator takes the
//	     Founding back. He cannot, once the node is bound: then the file is FoundingName.
//	RS3  A copy is complete if a node's Ended says so of it, and a majority of the nodes have Foundings and have
//	promised
//	     no newer epoch. An owner of a newer one would have needed the promise of one of these (P10), which forgets
//	     none, but for a blank one, which does not count here. So it has acknowledged nothing, and with that majority
//	     bound, before a stream is made, nobody ever will.
//	RS4  Whoever makes the first stream of a generation decides with which copy the cluster begins: there is one
//	stream
//	     of that name. Names are not used again, so no late request to remove an old stream harms a new one.
//	RS5  A node uses the newest generation that has a first stream, and refuses copies of another log. So one that was
//	     away, or was taken back, does not serve the old one.
//
// A Founding names no node, and no order of stopping: a last owner that was killed is followed by another one, if there
// is a majority. If all were killed, the cluster is to be started and stopped once more. A node whose machine is lost
// is not needed for RS3; but the engine makes streams only where as many nodes are there as are to keep them: an empty
// one in its place will do.
//
// # What is assumed of clocks
//
// P10 needs clocks that run at about one rate, and go on while a process does not run. The clock of
// Linux that Go uses stops while a machine is suspended as a whole, as when a laptop sleeps: a machine
// that wakes from that may hand out jobs for up to a second that others own by now.
//
// # What it cannot mend
//
// If both lanes lose their leaders, because a machine is lost right after another one, nothing can be
// appended until the engine has chosen new ones, 4 to 9 s, whoever owns the shards: steering a lane to a
// machine that is there takes about a second from when that is heard.
//
// What one fault costs therefore depends on where the lanes are led (cluster status shows it): the longest time
// between two acknowledged puts, with three nodes, two shards and 15 to 60 runnable threads on two cores (tools/faults,
// -only cut,isolate,one-way, which tells who led the lanes):
//
//	a link is cut, or works one way only      0.1 to 1.1 s: the other lane is used after 300 ms
//	a follower is cut off, or comes back      0.1 to 0.7 s
//	the owner is cut off, or mute, or deaf    1.2 to 2.2 s: Silence, or for a deaf one a LeaseTime, and a takeover
//	the owner is lost while it leads a lane   4 to 9 s: the next one needs both lanes, so the engine has to elect.
//	                                          It leads none from about a second after it has come to own the shards
//	the follower is lost that leads both      4 to 9 s for puts, as for seconds after another fault
//	all connections of an owner are reset     2 to 7 s: the engine connects again after 1.0 to 1.1 s, which cannot be
//	                                          set, and a lease lasts one second
//	owner and follower are killed together    their return, and an election of the engine for each lane
//
// A node that was cut off would do the same to the others when it comes back, and the ends of a cut link do
// while that lasts. Package partition says why, and what is done against it. It takes two seconds until that
// works: a network that fails for a little longer, again and again, is not covered.
//
// # Who leads the lanes
//
// A node could lead a lane that lives, and is not about to leave, whose copies are whole, whose engine keeps the lane
// and has all that the others have; and that reaches all others, if a link is cut and somebody does. Of these, the
// owner leads none if another one could, and two nodes lead the two lanes if two others could. Beyond that no leader
// is changed (steered, in package jetstream).
//
// So for seconds after a node was lost or has come, one follower leads both lanes. Whatever is done with two nodes,
// one of them cannot be lost without an election: a new owner needs both lanes (P6), an owner that goes on needs one.
// Seconds until both shards append, when something happens just as the third node is back (real engines, once each).
// Owner and follower with a lane each was tried, and left, since the owner's loss also cuts all clients:
//
//	                                                a lane each   the follower both
//	the follower is cut off                             0.6             4.9
//	the link between the two is cut                     0.6             1.6
//	the owner is cut off                                7.6             1.6
//	the follower is stopped in order, the owner       0.5, 1.4        2.3, 1.3
//
// # What it costs
//
// Measured in November 2026, beside bare engines (go run ./tools/faults -figure latency and -figure throughput of
// commit 5dc06902). One client's put takes 1.1 to 1.2 of the time of a bare append to the same engines. Of 1.18 ms
// between the committer and the acknowledgement the engine has 1.14, the copy (Take) 0.02, and all goroutines on the
// way together 0.02; client, event loop and shard add 0.15.
//
// Under load, with records of 220 KB, an append is under way for 0.92 of the time, Take
// included. For the rest the committer tells the acks of one group before it begins the next. Yet on one
// machine with two processors three nodes take 0.3 to 0.5 of the puts for which the bare engines take records,
// because all work is done there: of 13 µs of processors' time a put, the engines take 5, the owner as much
// as a server by itself, 3, and each other node's copy 2. The engine copies a record about ten times, so
// a follower under load leaves its collector as much room as a server by itself has (cmd/beanfield): with less, a
// fifth of its time went there. What remains: a follower's read is given to any of the
// replicas, so that two thirds cross the network though the node has what it asks for. That costs a tenth of a
// follower's time, and the engine has no interface for another way.
//
// A change of nodes with a million jobs of 100 bytes, three nodes on one machine (November 2026, commit 9903ea5e): add
// 2.9 s, remove of the owner 7.5 s, replace 14.7 s; clients waited at most 0.11, 1.40 and 0.13 s. A fail-over takes
// 1.49 s and a hand-over 0.07 s, as before nodes could be added (medians of 7 and 9, each in turn with the older build:
// 1.45 and 0.07 s).
//
// # Messages
//
// JSON, over plain messages of the engine. Presences (package partition) are of their own kind: a node has them
// before it has a place among the others. There is no secret in them: the embedded engine's routes ask
// for it, and a site's own engine has its own users.
//
// # Versions
//
// Nodes of one major version work together, also in the middle of an upgrade:
//
//	messages, promises, control   JSON. Unknown fields are ignored, missing ones are empty
//	  of another major version    refused, with one log line and in Status; a process
//	                              ends if most nodes have another one (ErrRefused)
//	streams                       their metadata name the protocol; another one is refused at the start. Keys
//	                              that are unknown are ignored
//	records                       a version in each; a node that meets another one ends (ErrRefused)
//	checkpoints                   a version in each message; another one is an error that says so
//
// Designs not taken. One actor for this loop and package jetstream's driver: what they share is a mailbox of a dozen
// lines, and the driver's lock also guards its State, while the loop's functions are told the time. A lease in the
// engine needs its elections, which take seconds (package jetstream). An owner for each shard alone: it is useless
// until every node can serve every client. Going back to the first node in the order when it is there again is a
// choice (Options.Prefer) that is not the usual one: it is a pause for nothing, so the owner stays until it is told,
// drained or stopped.
package cluster
