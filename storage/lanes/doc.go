// Package lanes is one shard's log as an engine keeps it on several machines: what a node appends and reads, when a
// record counts, and who may write. It only computes: requests come out, answers go in, and nothing here knows of the
// engine, of clocks or of goroutines. So the tests can try every order of events.
//
// A *node* keeps a copy of the shard's store. A *lane* is a stream of the engine with records of
// the shard; a shard has two, whose leaders are on different machines, because the engine needs
// seconds until a stream has a new leader. An *epoch* is one ownership of the shard. The *owner*
// of the newest epoch writes; a *candidate* is about to own the shard. What the engine promises for
// each lane: an append that expects a place lands directly behind that place or is refused; what has
// landed stays, in its order, until it is purged; a read gives records without a gap, though perhaps
// not the newest ones. Requests and answers may be late, lost or duplicated. (Two appends under way that expect
// consecutive places do not depend on each other: if the first is refused, the second may land behind somebody
// else's.)
//
// # The rules
//
//	P1  A shard has one lane in use, and one append under way, with all turns that have gathered. Turns get a
//	    number only when the number before it is acknowledged.
//	P2  An append expects the place up to which its writer has read the lane, or has had appends answered; never
//	    a place learned from a refusal or a description of the lane. A writer begins to read at the lane's
//	    start, or at any record whose number its store has.
//	P3  Without an answer in time, an append is in doubt: the owner turns to the other lane, and
//	    appends the same bytes there before anything new. If an append is refused, the owner reads on along the
//	    lane, and appends the same bytes again.
//	P4  Before a writer appends to a lane on which it was in doubt, or which was not in use, it reads that lane
//	    on from its place. A newer epoch there, or a lane that begins beyond its place, ends its ownership.
//	P5  A record is acknowledged when one lane has answered its append, or when it was read on one. Not finding
//	    a record proves nothing.
//	P6  An epoch begins with a record of its own on lane 0, and then on lane 1. This record has a nonce and no
//	    number. The epoch is above all that the candidate has read. In doubt the candidate reads on, and looks
//	    for its nonce. It steps back if either lane has another record of this epoch or of a newer one, and
//	    tries again if there are only older ones.
//	P7  A new epoch's first number follows the last that chains in the union of the lanes up to its
//	    two records. It does not continue turns that an older epoch has written in part: these are void (package
//	    turns), and nobody was told of them.
//	P8  A purge leaves on each lane the last record, and on one the record with the last number. It removes no
//	    number that a counted copy has not durably folded. A new owner counts every node's copy, as at number 0
//	    until it hears from that node. Nodes tell in their answers to beats how far their copies are durable, or
//	    that they want a checkpoint; only a node's answer to the newest beat counts. A copy that is to be made
//	    from a checkpoint counts at the checkpoint's number even before the making begins; answers to earlier
//	    beats no longer count. A node may be given up, but a majority is always counted, not including copies
//	    that are being made. A candidate chooses no epoch, and owns nothing, while it knows of records that do
//	    not chain to its own, or lacks what the log began from.
//	P9  Stores fold what has been read on a lane, and number n+1 only if it chains to n.
//	P10 An owner hands out jobs only while a majority of the nodes has answered, for its epoch,
//	    beats that it sent less than a LeaseTime ago, and not until a Rest after the last time that any of these
//	    can have answered an older epoch. Before a node answers an epoch, it stores that epoch. It refuses older
//	    ones, also after a restart.
//
//	P11 When an owner ends its epoch, it appends nothing more and hands out no more jobs. Only then does it say
//	    so. Whoever knows of that end passes it on, as the next owner does with its beats. Answers to an epoch
//	    that has ended are not waited for.
//	P12 A voter that does not know what it promised is blank: it, or its disk, is new. It draws a random number,
//	    its life, and tells it to whoever beats, but answers nobody before an owner shows it that life. Once an
//	    owner has been told the life, it appends something in its epoch: the epoch itself, or turns. When that
//	    is acknowledged, it shows the life, and the voter promises that epoch. Only an owner beats, never a
//	    candidate.
//
// (P9 is about stores, P10 to P12 about clocks. A beat is an owner's question whether it may go on: its Lease asks,
// and each node's Voter answers. lease.go says what LeaseTime and Rest are.)
//
// # The rules of members
//
// P8 and P10 count majorities of nodes, which may come and go. The log itself says who they are, in *versions*, which
// are turns like others. A version names the *members*: those that vote, and *guests*, which do not vote yet. Version 0
// is not in the log: the nodes for which the lanes were made.
//
//	P13 An owner counts majorities of the voters of the last version that it has taken from this log. When it
//	    takes a version, what the voters of the one before have granted counts no more.
//	P14 An owner appends a version only while it has the lease by the last one that it has taken. (By P1 it has
//	    then taken all versions that it has appended before.)
//	P15 The voters of a version and of the one before differ by one node at most.
//	P16 An owner appends a version with other voters only while a majority of these have copies that are not being
//	    made, and have told in this epoch that they have durably folded something, all up to the place at which the
//	    epoch began, and all that was purged in it. A node that becomes a voter is one of these. Guests' copies hold
//	    up purges as those of voters do. From when a version is appended until it is taken, the owner purges nothing.
//	P17 A voter belongs to the version that has let its node in, and keeps that number with its promises. A blank
//	    voter gets it from the owner that shows it its life. Owners count only answers of the voters that their
//	    version means. So a node that was removed, and whose name somebody else has got by now, counts no more:
//	    to come back it begins anew, without promises and without copies, as a blank one.
//
// # Why this holds
//
// K3: After an epoch's second record no record of an older epoch lands on either lane. Whoever appends
// expects a place that it has read or was answered (P2). If that place is behind a newer epoch's
// record, it has read the newer epoch, and appends nothing (P4, P6). Epochs and numbers rise along a lane. So a
// writer that begins to read at a record knows the newest epoch there, and needs nothing that comes before it.
//
// K1: An acknowledged record is on a lane before any newer epoch's record there, for the same reason. All lower
// numbers were acknowledged before it got its own (P1), so the chain up to it is whole in the union of the lanes.
//
// K2: A number has one content. An owner repeats the same bytes (P3). A newer owner's numbers begin behind all that
// landed before its two records (P7): on each lane its record was answered, or it has read that record, directly
// behind the place up to which it had read. Any append of an older epoch that was still under way is refused for
// ever, by K3. So a record is never taken back: what can be read on a lane counts, and no gap can arise. If there is
// one, the engine has lost records.
//
// K4: A store is a prefix of the union, since each number has one content and stores fold only what
// chains (P9). A crash makes a prefix shorter.
//
// K5: Nothing is purged that a counted copy has not durably folded (P8), so what has left the lanes is
// durable on a majority of the nodes. A purge that comes late, from an older owner, may take what a
// copy needs that a newer owner has begun to count: that copy finds a gap, and begins again from a
// checkpoint.
//
// K6: At most one node owns a shard in an epoch. Two candidates with one epoch would both need its first place on
// lane 0. The second candidate reads the first one's record there before its own lands, or, if that record has been
// purged, a later one of that epoch; and it steps back (P6).
//
// K7: A job has at most one holder over all nodes, because at most one owner at a time hands out jobs
// (P10): two majorities have a node in common. Take the last of the older owner's beats that this node answered: it
// was sent before the answer, and from then on the older owner hands out jobs for less than a LeaseTime. The newer
// owner waits until a Rest has passed since that answer. There is no later answer to the older owner, because no
// promise is forgotten. A restarted voter waits as if the process before it had answered an older epoch at the moment
// when the new voter's clock began. So that clock must not begin before the former process has ended: whoever starts
// a voter ensures that. The only answers that are not waited for went to an owner that had ended before anybody said
// so (P11). An end stays true: it makes no difference who reports it, how late or how often.
//
// Whatever a blank voter had promised (P12), it had promised to owners, and the second records of their epochs had
// landed before it started again. The record for which it is shown its life landed later, so by K3 none of those
// epochs is newer than that record's. So even a voter that had forgotten nothing might promise this epoch. Its clock
// begins anew, as with each start, after the former process ended. So the lanes remember every promise; a voter that
// stores its own only saves an append. No majority of others is needed: of three nodes one may be blank and another
// away.
//
// K7 while members change: Take an older owner, of epoch e, and a newer one. Let v be the newest version that epochs up
// to e have put on the lanes. The older owner has taken it, or, if it has appended v itself, the one before (P1). By
// these two alone it counts for ever, since nothing more of its epoch lands. If the newer owner counts by v too, their
// majorities have a voter in common (P15), and what is said above holds. If it counts by a later version, then v+1
// was appended in an epoch newer than e, by an owner that counted by v and had the lease (P13, P14). A majority of the
// voters of v had answered that epoch by then, and nobody of them had answered epoch e for a Rest. So the lease of the
// older owner had lapsed, whether it counts by v or by the one before, and nothing brings it back: no promise is
// forgotten. What its former voters had granted would be such a thing, hence the end of P13.
//
// A removed node that does not know it yet answers owners that count it by their versions, as they may. One whose disk
// is gone, a member or not, is blank: P12 does not depend on who else votes, only on what is on the lanes. One name
// may have two processes that do not know of each other: the machine that was removed, and the one that has its
// name now. They have two numbers, so they are two voters (P17). Two processes with one number are not reckoned
// with, as for K7 in general: whoever starts the second one has to know that the first one has ended.
//
// K5 while members change: What an owner has had purged is durable on a majority of its voters. When it appends the
// next version, or a newer owner does, a majority of that version's voters have it durably too (P16): a purge, however
// late it comes, takes nothing beyond the place at which the next epoch begins, and from then on up to the end of the
// change the owner asks for none. Copies of a shard that rests would never get that far, since stores fold when their
// logs fill up. So while a change is under way each node has its copies fold what they have. And parts of turns at the
// place at which an epoch begins are folded with what comes after them, so an owner appends something then.
//
// Members are no part of K1 to K4, K6 and K8: who may append is decided on the lanes alone. What a node knows of the
// versions is part of its copy, so it has read each version that can ever land before its own epoch (P7), also those
// whose records have been purged.
//
// K8: An id is given once. It is in a record, and told to nobody before that record is acknowledged. A newer owner
// continues after the highest id of the union.
//
// # What the engine may not do
//
// If lanes are made anew, cut back or restored, the rules do not hold. Signs of that end everything with an error: a
// lane that ends before what was read of it, a number that does not follow the one before, lanes without the last
// number of the store. Not every case shows, so whoever restores lanes gives the log a new origin.
//
// without_test.go, members_test.go and change_test.go show that each rule is needed, by leaving it out.
package lanes
