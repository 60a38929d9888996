// Package partition finds out whether a node is in a part of the network that is cut off: so far that its engine is of
// no use to the others. Then that engine has to rest, because it does harm later: it calls elections that it
// cannot win, its terms rise, and when it comes back every leader steps down on the newer term. Nobody can
// append for one or two elections then, 4 to 15 s.
//
// A Watch is told of messages and of a clock's ticks. It has no goroutine and no clock; package cluster has.
//
// # Presences
//
// Each node tells all others, five times a second, that it is there, and whom it hears: its *presence*. It begins as
// soon as its engine passes on messages, before that has joined the others, and goes on while the engine rests:
// what rests is the part that keeps streams, not the part that passes on messages.
//
// # The rule
//
// A node is *of use* if it, or a node that it hears, hears a majority, that one included. Otherwise there can be
// no leader that has a majority and reaches this node.
//
//	I1  An engine rests while its node is of no use, and only then.
//	I2  A node is heard until it was silent for Silent. That is less than the engine waits for a leader before
//	    its first election, 4 s, less the second between two signs of life of a leader. One that has become
//	    a member counts as heard at that time: nobody has listened to it before.
//	I3  Time in which this process did not run does not count: it hears nobody then, and nothing is wrong.
//	I4  An engine that was just started does not rest before Fresh: its connections are not there yet. Its
//	    elections do not begin earlier. Each time that it was started again soon this doubles.
//
//	I5  If two processes are one node, the younger one is told to end; but if the cluster has let in one of them
//	    later, as a machine that replaces another, the one that was replaced. An older program that tells no
//	    Since is a member since the beginning. What the other process of a name says of this one does not count.
//
// # Duplicates
//
// Two processes with one name, because somebody copied a configuration, would be one voter that votes twice. So
// a presence tells which life it is of, drawn by each process, and how long it has run. Who hears an old life come
// back three times knows of duplicates, and tells all: the two may not hear each other. That one ends itself. A
// node that is restarted has a new life each time, so it may come and go as quickly as it likes. The younger one
// may have voted for about a second by then.
//
// # Nobody waits for ever
//
// Let M be a majority of nodes that live and reach each other, whatever their engines do. Presences need no stream,
// no leader and no majority, and a resting engine passes them on; it tries its connections to the others for
// ever, and they theirs. So each node of M that is not being started hears all others that are not, and one that hears
// all of M is of use: by I1 its engine runs on, or is started. While one is started its presences are missing. If
// that takes longer than Silent, others of M may rest because of it, and be started in their turn; but by I4 each goes
// on for longer every time, and when that is longer than the slowest start, all that wake meanwhile find it running. So
// all engines of M come to run, and the engine's own rules see to a leader. This holds from every
// combination of engines that rest and run, and with nodes that have just been started, because a node tells its
// presence before it has joined.
//
// Nor does the rule take an engine from a majority that could be had: if some node L hears a majority and is
// heard by it, each of these hears L, so none of them rests.
//
// # Safety
//
// A resting engine is one that was stopped in order, after all that it has acknowledged was synced, as before a
// restart of the machine. What counts does not depend on which minority runs.
//
// # Who is not to lead
//
// An engine that was just started fetches what it has missed from the lane's leader. If that one is told to step
// down meanwhile, the fetching fails and begins anew, and the new engine cannot lead before it has ended: the lane
// is without a leader for seconds, again and again. So a node tells that its engine lacks something, until it has
// been current in each lane, and nobody has it lead before.
//
// # Hubs
//
// If a link is cut, and both its ends are in touch with others, none of them is of no use. But an engine that does
// not hear its group's leader calls elections all the same. So lanes are to be led by a *hub*, a node that hears
// all that live, and is heard by all. A cluster that has lost a link depends on its hubs in any case. What a node that
// has just appeared hears is not asked before Settled.
package partition
