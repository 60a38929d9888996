// Package jetstream keeps a shard's log on several machines: it carries out on NATS JetStream what
// package lanes asks for. It is the only package that knows that engine.
//
//	Server    the engine, embedded in this process; Connect is for a site's own one
//	Shard     the two streams that are the lanes of a shard, and who leads them
//	readFrom  where on a lane a node begins to read
//	Exchange  the requests of a lanes.Log, as messages to the engine, and the answers
//	Driver    one goroutine that owns a node's lanes.Log, and has a clock
//
// A stream has three replicas, and leaders that the engine chooses. When a machine dies that leads
// one, the engine needs 4 to 14 seconds for another leader. The lanes are there because of that: their
// leaders are on different machines (Astray), and the Driver gives up a request after 300 ms.
//
// # Invariants
//
//	E1  The engine gets its options through its own parser, and syncs always. Options that a
//	    program fills in by hand miss what the parser derives.
//	E2  The engine is shut down once, and waited for: it closes its files only then.
//	E3  A stream that is there is used only with the settings of a lane, this cluster's name, the
//	    names of its nodes, and one origin for both lanes. Nobody changes its settings.
//	E4  An append has landed if the engine says where, and is refused if the engine says that its
//	    place is wrong. Everything else is no answer: another error, silence, a lost connection.
//	E5  Appending, reading and taking over need the lanes' own leaders, but no leader of the group
//	    that makes streams.
//	E6  The places of a read's records follow each other, from the one asked for or from where the
//	    lane begins.
//	E7  Turns are acknowledged after Taken was given the record that they end in.
//	E8  Records are said to be missing when the lanes' leaders have said so, not any replica, which
//	    may lag.
//	E9  A read of which nothing has come is repeated, soon and then more rarely, until it is given up. An
//	    engine that answers slowly is given more time: what has taken long counts for the next request.
//	E10 An engine that has given up a stream on its machine, as when the disk was full, says so (Failure).
//	E11 An engine that rests keeps no stream and takes part in no election, and what it had
//	    acknowledged is there when it wakes. Connections and what they listen to outlast both.
//
// # What the engine does
//
// A read asks a replica first (DIRECT.GET), which answers in batches and may lag. Only then
// a candidate or an owner asks the lane's leader (STREAM.MSG.GET), one record at a time. Followers
// do not. What a replica shows is committed: replicas apply nothing else. While the group that makes
// streams has no leader, and knows it, STREAM.MSG.GET is refused with error 10008, and a
// replica's word must do. Reading too little is safe, since an append that expects too early a
// place is refused.
//
// The engine chooses the replica by chance, and takes one whose machine has vanished in silence for as
// good as any until its connection breaks, which can take a minute. Without E9 a third of all reads is
// lost then, and an owner in doubt, which reads before it appends, stands still for seconds.
//
// STREAM.LEADER.STEPDOWN, which Lead needs, and PURGE are not on the way of an append.
//
// A site's own engine must be 2.15.2 or newer, unless its operator takes the risk (ConnectAny). Whether
// it syncs before it answers (sync_interval: always) is not told to an account that may only use
// streams; its operator must see to it.
//
// The tests that need the engine run with make cluster only (-engine): its elections take seconds, and
// how many depends on the machine.
//
// An engine that hears no leader calls elections, and its term rises with each. When it is heard again, all
// leaders step down on the newer term. Nothing in its interface keeps it from that but to stop it; its own
// way to switch the streams off and on while it runs (ShutdownJetStream) does not wait until its groups have
// ended. So Rest and Wake start it anew. A group's term does not rise before 4 s without its leader, nor
// before the first connection to another engine after a start.
//
// Designs not taken. The client's own JetStream library waits for each answer, has a subscription
// for each of its contexts, and repeats by itself: here repetition is what must be under control.
// A consumer as a follower's source stalls when its leader dies, and its making needs the leader of
// the group. Without a port for clients (DontListen) the engine's routes never start, and
// its shutdown never ends: so it has one, on 127.0.0.1, with a password of its own.
package jetstream
