// Package lanes is one shard's log as an engine keeps it on several machines: what a node appends
// and reads, when a record counts, and who may write. It is arithmetic: requests come out, answers
// go in, and nothing here knows of the engine, of time or of goroutines. So the tests can put it
// through every order of events.
//
// A *node* keeps a copy of the shard's store. A *lane* is a stream of the engine with records of
// the shard; a shard has two, whose leaders are on different machines, because the engine needs
// seconds until a stream has a new leader. An *epoch* is one ownership of the shard. The *owner*
// of the newest epoch writes; a *candidate* is about to own the shard. What the engine promises for
// each lane: an append that expects a place lands directly behind that place or is refused; what has
// landed stays, in its order, until it is purged; a read gives records without a gap, though perhaps
// not the newest ones. Requests and answers may be late, lost or doubled. (Two appends under way that
// expect places one after the other are no chain: if the first is refused, the second may land behind
// somebody else's.)
//
// # The rules
//
//	P1  A shard has one lane in use, and one append under way, with all turns that have gathered.
//	    A number is given to turns when the one before it is acknowledged.
//	P2  An append expects the place up to which its writer has read the lane, or was answered;
//	    never a place that a refusal or a description of the lane tells. It begins to read at
//	    the lane's start, or at any record whose number its store has.
//	P3  Without an answer in time, an append is in doubt: the owner turns to the other lane, and
//	    appends the same bytes there before anything new. Refused, it reads the lane on, and
//	    appends the same bytes again.
//	P4  Before it appends to a lane on which it was in doubt, or which was not in use, a writer
//	    reads it on from its place. A newer epoch there, or a lane that begins beyond its place,
//	    ends its ownership.
//	P5  A record is acknowledged when one lane has answered its append, or it was read on one. That
//	    it is not found proves nothing.
//	P6  An epoch begins with a record of its own on lane 0, and then on lane 1. It has a nonce and no
//	    number. The epoch is above all that the candidate has read. In doubt the candidate reads on,
//	    and looks for its nonce; it steps back if another record of this epoch or of a newer one is
//	    on either lane, and tries again if there are only older ones.
//	P7  A new epoch's first number follows the last that chains in the union of the lanes up to its
//	    two records. It goes on with no turns of which an older epoch has written a part: these
//	    are void (package turns), and nobody was told of them.
//	P8  A purge leaves on each lane the last record, and on one the record with the last number. It
//	    takes no number that a counted copy has not durably folded. A new owner counts every node's
//	    copy, from number 0 on until it hears of it. Nodes tell in their answers to beats how far their
//	    copies are durable, or that they want a checkpoint; only a node's answer to the newest beat counts. A copy
//	    that is made from a checkpoint counts from the checkpoint's number on, already before this begins; answers to
//	    earlier beats count no more. A node may be given up, but a majority counts always, without copies that are
//	    being made. A candidate chooses no epoch, and owns nothing, while it knows of records that do not chain to
//	    its own, or lacks what the log began from.
//	P9  Stores fold what has been read on a lane, n+1 only if it chains to n.
//	P10 An owner hands out jobs only while a majority of the nodes has answered, for its epoch,
//	    beats that it sent less than a LeaseTime ago, and only a Rest after the last time that any of these can have
//	    answered an older epoch. Who answers an epoch has kept it first, and refuses older ones, also after a restart.
//
//	P11 An owner ends its epoch for good: it appends nothing more and hands out no job more. Only then
//	    it says so. Whoever knows passes it on, as the next owner does with its beats. Answers to an
//	    epoch that has ended are not waited for.
//	P12 A voter that does not know what it promised is blank: it is new, or its disk is. It draws a
//	    life, a number, and tells it to whoever beats, but answers nobody before an owner shows it
//	    that life. An owner shows it when something is acknowledged in its epoch that it began to
//	    append after it had been told: the epoch itself, or turns. The voter promises that epoch. Only
//	    an owner beats, never a candidate.
//
// (P9 is about stores, P10 to P12 about clocks: a beat is an owner's question whether it may go on;
// Voter and Lease, which say what LeaseTime and Rest are, ask and answer it. The set of nodes is fixed when the lanes
// are made, and all owners count these; there are no rules yet by which these could change.)
//
// # Why this holds
//
// K3: After an epoch's second record no record of an older epoch lands on either lane. Whoever appends
// expects a place that it has read or was answered (P2). If that place is behind a newer epoch's
// record, it has read the newer epoch, and appends nothing (P4, P6). Epochs and numbers rise along a lane. So
// a writer that has begun to read at a record knows the newest epoch there, and of what comes before it
// lacks nothing.
//
// K1: A record that is acknowledged is on a lane before any newer epoch's record there: for the same
// reason. The numbers before it were acknowledged before it got its number (P1), so the chain up to it
// is whole in the union of the lanes.
//
// K2: A number has one content. An owner repeats the same bytes (P3). A newer owner's numbers begin
// behind all that landed before its two records (P7): on each lane its own record was answered, or it
// has read it, directly behind the place up to which it had read. Whatever of older epochs was under
// way then is refused for ever, by K3. So a record is never taken back: what can be read on a lane
// counts, and a gap cannot come about. If there is one, the engine has lost records.
//
// K4: A store is a prefix of the union, since each number has one content and stores fold only what
// chains (P9). A crash makes a prefix shorter.
//
// K5: Nothing is purged that a counted copy has not durably folded (P8), so what has left the lanes is
// durable on a majority of the nodes. A purge that comes late, from an older owner, may take what a
// copy needs that a newer owner has begun to count: that copy finds a gap, and begins again from a
// checkpoint.
//
// K6: At most one node owns a shard in an epoch. Two candidates with one epoch would both need the
// first place of it on lane 0. The second of them reads the first one's record there before its own
// lands, or a record of that epoch behind it if that has been purged, and steps back (P6).
//
// K7: A job has at most one holder over all nodes, because at most one owner at a time hands out jobs
// (P10): two majorities have a node in common. The older owner sent the last beat that this node
// answered before it was answered, and hands out jobs for less than a LeaseTime from then. The newer owner
// waits until a Rest has passed since that answer. There is no later answer to the older one, because
// no promise is forgotten. A voter that is started again waits as if the process before it had answered an
// older epoch when its own clock began. So that must not be before that process ended: whoever starts a
// voter sees to that. An answer that is not waited for is to an owner that had ended before
// anybody said so (P11). That is true for ever: it makes no difference who says it, how late and how often.
//
// What a blank voter had promised (P12), it had promised to owners: the second records of their epochs
// had landed before it started again. What it is shown landed later, so by K3 none of those epochs is
// newer than the one that it is shown. To promise this one is what it might have done had
// it forgotten nothing, and its clock begins anew, as with each start, after the former process ended.
// So the lanes remember every promise, and what a voter keeps spares an append. It takes no majority of
// others: of three nodes one may be blank and another away.
//
// K8: An id is given once. It is in a record, and told to nobody before that is acknowledged; a newer
// owner goes on behind the highest id of the union.
//
// # What the engine may not do
//
// If lanes are made anew, cut back or restored, the rules do not hold. What can be seen of that ends
// everything with an error: a lane that ends before what was read of it, a number that does not go on
// with the one before, lanes without the last number of the store. Not all can be seen, so whoever
// restores lanes gives the log a new origin.
//
// That each rule is needed is tested by leaving it out (without_test.go).
package lanes
