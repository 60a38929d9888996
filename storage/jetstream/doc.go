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
//	    has a new one, with another name (EngineName) and an empty directory. One that is no member yet has
//	    a name that no other process has: the node may be another machine still.
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
// # Members
//
// Each stream has a group of peers, and so has the group that makes streams. Which nodes are members is decided in
// the log (package cluster); the engine follows it by these steps, each of which can be said again:
//
//	Route          at each node: where the others are
//	WakeAs         at a node that is let in, whose engine has only passed on messages before (Options.Rests)
//	Adjust         at the owner, for one shard after the other: the peers of its lanes
//	Expel          at the owner: out of the group that makes streams, and so out of all streams; who leads that group
//	               leads it no more before. The engine that was expelled hears of it (ErrExpelled)
//
// Adjust has an engine's peer leave a lane with STREAM.PEER.EVACUATE: the engine first adds the new peer, waits until
// a majority of those that stay has stored the stream, and removes the old one by the group's own log. PEER.REMOVE
// begins with removing. How many replicas a stream has changes by one (STREAM.UPDATE). When it is to
// have fewer, the engine chooses which peer it loses, and drops none that rests: so a peer that nobody replaces is
// expelled, and the number is lowered afterwards. A change ends only after everything is stored at the peers, of which
// each is asked ($JSC.SI, as the engine itself does): the leader of a stream calls a new peer current that has been
// sent everything but has not written it.
//
// Reports of lost acknowledged messages, with what protects:
//
//	#7545  changes of peers while nodes are cut off or killed; open. Its causes, as far as they were found:
//	       a removal counted with a minority (mended, #7581); a server came back under the name that was removed
//	       (#7561: it must not; E12); peers left before others had the data (mended in 2.15: #8253,
//	       #8258, #8432, #8460, #8602; E13, and no change begins while a member that stays is away)
//	#6888  a stream was forgotten after kills; open. Adjust makes no stream, and Open none in a cluster that has begun
//	       unless nobody keeps its copies (storage/cluster)
//	#7481  a group without a majority stays so when another server comes, and the old one has to be removed:
//	       Expel
//
// Two lanes do not protect from this: a record is acknowledged when one of them has it, and what harms one lane harms
// the other. What protects beside E12 and E13 is that the owner and its followers have the record in their stores
// (P9), and that the hashes of records tell whoever has it from a log that goes on without it.
//
// Tried with five processes and a shard's two streams, three or five replicas, sync always, for 45 s each: one or two
// nodes at a time were killed with -9, cut off or stopped for 0.3 to 4.3 s, all the time, while members came and
// went and each lane got some 100 appends a second. By the rules above none of 172,000 acknowledged appends of 21 such
// runs was lost, in 144 changes of members. When members were removed at any time (SERVER.REMOVE), and came back at
// once with their names and directories, three of 14 runs lost appends: lanes were empty, or began anew at place 1,
// one of them or both. Of two more a lane could not be read any more within half a minute.
//
// An engine that was removed, and is started with its streams without having heard of that, hears no leader of the
// group that makes streams. By its source it answers requests for others ten seconds later (10008), before leaders do:
// one more reason why a node that is no member rests. Five minutes after a removal the group takes an engine of that
// name back by itself: Expel is said now and then.
//
// Measured with four engines of one process on two cores, six lanes, each with an append every 5 ms, of which two had
// 20 or 200 MB each (November 2026). The longest time between two acknowledged appends is that of any lane:
//
//	an engine is let in                               0.7 s   40 ms
//	a node takes another's place, both lanes of a shard
//	    empty, 20 MB, 200 MB                  2.8, 4.4, 6.1 s   50 to 210 ms, or one request given up after 300 ms
//	a replica more, the same                  5.8, 5.4, 7.0 s   50 to 300 ms
//	an engine is expelled                             1 to 2 s  50 ms, or one request given up after 300 ms
//	a replica less, both lanes of a shard           0.7 to 1 s  20 to 95 ms
//
// Most of that time the engine waits for its own signs of life, once a second.
//
// Designs not taken. The client's own JetStream library waits for each answer, has a subscription for each
// of its contexts, and repeats requests by itself; here repetition must be controlled. If followers read
// through a consumer, it stalls when its leader dies, and making one needs the leader of the group. Without
// a port for clients (DontListen) the engine's routes never start, and its shutdown never ends: so it has
// one, on 127.0.0.1, with a password of its own.
package jetstream
