// Package jetstream keeps a shard's log on several machines: it carries out on NATS JetStream what package
// lanes asks for. It runs that engine; of the other packages, only storage/cluster and those below it talk
// to the engine.
//
//	Server    the engine, embedded in this process; Connect is for an engine that the site runs itself
//	Shard     the two streams that are the lanes of a shard, and which nodes lead them
//	readFrom  finds where on a lane a node begins to read
//	Adjust    which nodes keep a shard's streams, changed while it is used; Expel and Route belong to it
//	Exchange  the requests of a lanes.Log, as messages to the engine, and the answers
//	Driver    one goroutine that owns a node's lanes.Log, and has a clock
//
// A stream has three replicas, and a leader that the engine chooses. When a leader's machine dies, the
// engine needs 4 to 14 seconds to choose another. That is why a shard has two lanes: their leaders are on
// different machines (Astray), and the Driver gives up a request after 300 ms.
//
// # Invariants
//
//	E1  The engine gets its options through its own parser, and syncs always. Options that a program
//	    sets by hand lack what the parser derives.
//	E2  The engine is shut down once, and that is awaited: only then has it closed its files.
//	E3  An existing stream is used only if it has the settings of a lane, this cluster's name, and the
//	    same origin as the other lane. Nobody changes its settings, but for the number of replicas.
//	E4  An append has landed if the engine says where, and is refused if the engine says that its
//	    place is wrong. Anything else counts as no answer: another error, silence, a lost connection.
//	E5  Appending, reading and taking over need the lanes' own leaders, but no leader of the group
//	    that makes streams.
//	E6  The places of a read's records are consecutive, from the one asked for or from the lane's
//	    beginning.
//	E7  Turns are acknowledged only after Taken was given the record that they end in.
//	E8  Records are called missing only when the lanes' leaders say so. A replica may lag.
//	E9  A read without any answer is repeated, soon and then more rarely, until it is given up. A slow
//	    engine is given more time: how long a request took counts for the next one.
//	E10 An engine that has given up a stream on its machine, for instance because the disk is full,
//	    says so (Failure).
//	E11 An engine that rests (Rest) serves no stream and takes part in no election. What it had
//	    acknowledged is there when it wakes (Wake). Connections and their subscriptions survive both.
//	E12 An engine that has left the groups of the others never comes back. A node that is added again
//	    has a new one, with another name (EngineName) and an empty directory.
//	E13 Of a shard, one peer of one lane changes at a time: while both lanes have leaders, nothing else
//	    is under way, and all peers that stay have told that they stored what the leader has (Adjust).
//
// # What the engine does
//
// A read asks a replica first (DIRECT.GET), which answers in batches and may lag. After that, a candidate or
// an owner asks the lane's leader (STREAM.MSG.GET), one record at a time. Followers do not. What a replica
// shows is committed: replicas apply nothing else. While the group that makes streams knows that it has no
// leader, STREAM.MSG.GET is refused with error 10008, and a replica's answer must do. Reading too little is
// safe, because an append that expects too early a place is refused.
//
// The engine chooses the replica at random. If a machine vanishes in silence, the engine goes on choosing
// its replica until the connection breaks, which can take a minute. Without E9 a third of all reads would be
// lost then, and an owner in doubt, which reads before it appends, would stand still for seconds.
//
// No append waits for PURGE, or for STREAM.LEADER.STEPDOWN, which Lead needs.
//
// A site's own engine must be 2.15.2 or newer, unless its operator takes the risk (ConnectAny). An account
// that may only use streams cannot find out whether the engine syncs before it answers (sync_interval:
// always); the operator must ensure it.
//
// The tests that need the engine run with make cluster only (-engine): its elections take seconds, and
// how many depends on the machine.
//
// An engine that hears no leader calls elections, and its term rises with each. When the others hear it
// again, all leaders step down because of the newer term. Its interface offers no way to prevent that but to
// stop it. ShutdownJetStream, which switches the streams off in a running engine, does not wait until their
// groups have ended. So Rest and Wake restart the whole engine. A group's term does not rise until 4 s
// without its leader, nor until the first connection to another engine after a start.
//
// Designs not taken. The client's own JetStream library waits for each answer, has a subscription for each
// of its contexts, and repeats requests by itself; here repetition must be controlled. If followers read
// through a consumer, it stalls when its leader dies, and making one needs the leader of the group. Without
// a port for clients (DontListen) the engine's routes never start, and its shutdown never ends: so it has
// one, on 127.0.0.1, with a password of its own.
package jetstream
