// Package ownership decides which of several nodes owns the shards: who stands, when a term begins
// and ends, and how it is handed over. It is arithmetic: an Election is told of messages, of its
// drivers' roles and of the time, and says through Acts what is to be done. It has no goroutine, no
// clock and no lock, so the tests can put whole clusters through any order of events.
//
// A *term* is a time during which one node owns all shards, and its server serves. What makes it safe
// are the rules of package lanes: P6 lets one node own a shard in an epoch, P10 lets one at a time
// hand out jobs. What is here decides when these are used, and makes sure that somebody is
// there.
//
// # Messages
//
//	hello   twice a second, and at each change: the sender's report, which all messages have
//	beat    five times a second, from the owner to all: its epochs. A voter keeps them, then answers
//	answer  how long ago an older epoch was answered, or that it is refused; how far copies are durable
//	ended   from an owner whose server has stopped, and who stands next
//
// # Who stands
//
// Nodes have an order, that of their names: an operator sees at once who is next, and since one node
// owns all shards, nothing has to be spread. A node stands when all of this is so:
//
//	it has heard no beat for Silence, or the owner has left without a successor, or has said that it lost
//	its term: one that is deaf is heard, and one whose connections were cut is heard again before that;
//	a majority of all nodes says the same: who is merely cut off from the owner does not disturb it;
//	it hears a majority (itself included), has caught up, and nothing is wrong with it;
//	it has read the lanes to their end, as far as its engine shows them: what it reads it keeps,
//	whoever stands meanwhile. Nor does an owner hand over to a node that has not done so since its start;
//	each node before it in the order that could stand has had a Step of time to do so, and one that
//	does stand, 0.6 s: perhaps it cannot use the engine. That is longer when candidacies take longer
//	(see below). A node with others before it first waits, for each of them, for twice the time that a majority
//	took to tell of its silence, since words are late then, and two that stand at one time may each win a shard,
//	and lose the other. Nodes whose disks are nearly full come after all others.
//
// A candidacy that has come to nothing in its time, or that loses a shard, ends for all shards. The
// node waits, with jitter, and says meanwhile that it is not fit, so that the next in the order
// stands. A node that owns only some shards serves nothing; whoever owned them before loses its term
// with the first shard that it loses.
//
// How long a candidacy may take, how long others wait for it, and how long a node waits after its own, depends on how
// fast things are: whoever reads lanes sees how long the engine takes to answer. And it doubles with each
// candidacy that has come to nothing, of whatever node, until somebody owns the shards. Otherwise candidates
// outrun each other on a slow machine, and nobody ever gets to the end. But after its own no node waits for more than
// twice a Limit: that is long enough to tell two nodes apart that have failed together, and perhaps no other node can.
//
// Two ways to have fewer candidacies fail were simulated, and left: to stand for the first shard alone and then for the
// others, and to wait longer for a candidate that says that it has won a shard. Where answers take up to 0.2 s, with
// some of 1.5 s in between, the first makes a takeover a fifth longer, because it waits for half as many answers again;
// the second spares one candidacy of five at most, and nobody serves any sooner. What took long was the wait
// after them.
//
// A process waits for its engine before it has an Election. What it has heard of others until then counts
// (Config.Since): if that was no beat, it need not be silent for Silence once more.
//
// # Members
//
// Nodes come and go (package lanes, P13 to P17). Each shard's log has its versions of the members, and each shard's
// lease and purges go by its own. Decided tells what a shard's copy has taken of them, in the order of the log and
// before Changed; a process begins with what its copies have. The owner's beats have the newest version, so that a
// node knows its place without reading the lanes: a guest, one that was removed, or one whose lanes are far behind.
// Who stands, who is asked about silence, and what a majority of living nodes is, goes by the newest version that a
// node has heard of. None of that is needed for safety.
//
//	a guest     is heard, shown its life, and answers; it holds up purges, and does not stand. Its answers
//	            count from the moment in which it becomes a voter, so the lease goes on
//	a stranger  is not heard, until a version names it
//
// The owner changes the members one version after the other. MayChange says whether it may append one now; then whoever
// has the Election appends it to the log of each shard. The next one waits until all shards have it. So the versions of
// two shards never differ by more than one. An owner that finds some shards with a version that others lack appends it
// there first, the same (Unfinished): that makes a change whole which an owner has not ended. No version gets two
// contents, because nobody appends one before he owns all shards, and then he has read what any of them has.
//
// A node that stays a guest, because it never comes, holds up purges; it is removed, or given up, as a voter may be.
// Whoever is no member is no longer given up either (P8): a node that gets its name counts.
//
// # Invariants
//
//	O1  A term begins when all drivers own their shards and the lease holds for each. It ends for
//	    all shards when it ends for one.
//	O2  At most one node's term holds at a time (K7).
//	O3  A term ends before anything else happens at or after the time when its lease lapses, and the
//	    node does not stand again before its server has ended it. Only a server that has answered nobody
//	    yet, since it still reads the jobs, may go on with that, and wait for the lease to hold again, as long
//	    as it hears a majority.
//	O4  A node says that its epochs have ended only when its server has said so, or when it has been
//	    elected and never had a term (P11).
//	O5  Beats are sent by a node that owns all shards, never by a candidate (P12). A blank node is
//	    shown only what was appended after it had told its life.
//	O6  A vote is given only by a process that has looked around for another one of its name; the younger of two
//	    hears nothing any more (package partition, I5). An answer is given when its promise is kept.
//	O7  While a majority lives, and can talk to each other, and lanes have leaders, somebody owns the
//	    shards again within Silence, a Step for each other node, the time in which one of them reads
//	    what its copy lacks of the lanes, and the time of the candidacies. A candidacy is about twelve
//	    answers, one after the other, of engines, disks and nodes. If twelve take less than two
//	    seconds, the first one gets through. If they take longer, each failed candidacy doubles the
//	    limit: 2, 4, 8, 16, 32 s, and more if an engine is seen to be slow.
//	    So slow machines, slow disks and long lanes only make it later. But beats
//	    must be answered within a LeaseTime (P10).
//	O8  While an owner is answered by a majority, no node stands, whatever single links fail. A candidate
//	    that hears an owner's beat, of an epoch that has not ended, gives up: while it waited for its engine,
//	    another node was quicker. The beat of a node that still waits for its lease ends no candidacy.
//	O9  An owner that cannot append for longer than most elections of the engine take does not keep
//	    the shards, if another node is fit.
//	    The same holds for one whose node has a fault as a whole, at once; and for one whose disk is
//	    nearly full, if that of another one is not.
//	O10 With Config.Prefer, an owner hands over to a node that comes before it in the order, when that
//	    one has been fit, and has answered, for that time, counted in beats. Each time that a node has
//	    lost the shards, or not taken them when it was to, doubles it, up to 64 times. An operator's
//	    choice lasts as long as the term that it has begun.
//	O11 A change of the members ends no term, and no node stands because of it: before a node votes it answers, and
//	    nothing is appended while too few of those that are to vote answer. A shard's next version is
//	    appended when all shards have the one before.
//
// # Hand-over
//
// The owner that is told to leave goes on until its server has stopped: its beats are answered, so
// its answers may leave. Then it says "ended", to all, with its epochs and the successor. By P11 voters
// do not wait for answers that they gave to it, so the successor's lease holds with the first
// majority of answers. It stands when the message comes, without Silence. If it fails, Silence
// has passed at the others as if the message had been a beat.
package ownership
