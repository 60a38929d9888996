// Package event has event loops and their sockets: who is served when, what is read and sent, and TLS over it. It does
// not know the protocol: a Client has that, which package beanstalk is.
//
// # Loops
//
// A loop is a goroutine with an epoll instance and its share of the
// connections; there is one for each processor but one. It owns
//
//   - its connections: others touch only the queued flag of a Conn,
//   - one read buffer and one reply buffer, which all its connections use in turn,
//   - the timers of the connections that wait.
//
// All other goroutines, mainly those that run shards, reach a connection by Notify,
// which puts it into its loop's inbox and wakes the loop if it sleeps. Sockets are
// edge-triggered and registered once. A loop reads from one until a read comes back
// short, so that no read is made just to learn that there is nothing.
//
// No connection keeps its loop for long: after four reads (readsPerTurn), a certain
// amount of work (EffortShare), half a megabyte sent (sendShare) or a piece of a
// long list, the loop's other connections have their turn. Nor does the inbox:
// after a part of it (inboxShare) the loop checks its sockets again. A connection that is
// closed ends its session from the inbox, for the same reason: fifty clients that hang up
// at once, each with thousands of tubes, would take some milliseconds otherwise.
//
// Another goroutine may have a loop do something (Ask), such as to go through its connections and say who they are. It
// is asked by a bell: a Conn without a socket, which comes through the inbox as others do. So an event pays nothing for
// this. What may take long is done in parts, one each time that the loop is asked (partLength).
//
// A loop shares the processors with other goroutines. Before it sleeps, it lets them run if one
// has been woken lately (yield), and as long as a shard that owes it an answer is busy (linger).
// Otherwise it just sleeps: where Go may run more goroutines than there are loops (cmd/beanfield
// sees to that), nobody waits for it, and to yield would wake another thread, which then goes on
// with the loop. A loop that moves large bodies may not sleep for seconds, so it lets others run
// after each quarter of a megabyte (bulkShare). Without this, another client waited up to 40 ms on
// one processor while a gigabyte was being sent.
//
// # Cutting
//
// A process that has lost its right to serve must say nothing more (Cut), and then ends its loops (Shutdown). Cut comes
// first and waits for nobody: each loop closes its connections as soon as it has ended what it is in the middle of. A
// client that comes between the two is served like any other, and Shutdown closes it: whoever hands clients over is
// stopped in between, for no client may come to a loop that has ended, which nothing would close.
//
// # Commits
//
// With fsync before each reply, nearly every command waits for a turn of its shard to be on
// the disk. A sync costs the same for one turn as for a hundred, and to have another
// goroutine do it and be woken by it costs two changes of threads. So:
//
// A loop first serves all its connections that are ready. Their commits wait in the shards' logs.
// The loop does not wake the logs (queue.Batch.Later); it must push each of them later. When nothing is
// ready any more, or every client waits for its answer, and before it would sleep, it makes the pending
// pushes: one for each shard, which serves all turns that are there. Acknowledgements come
// through the inbox, so all replies leave at once, one write for a connection, before the loop
// looks for more events.
//
// If pushes to several shards are pending, their logs' own goroutines are woken, for all but one, and the
// loop writes and syncs the last one itself, in place, so syncs overlap. If another goroutine
// is in the middle of that log's sync, a push returns at once, and the turns are the next
// group: whoever is in the sync wakes the log's goroutine for it.
//
// Waiting in place is free if every client waits for that sync. Clients that do not must not be held up.
// So a loop pushes in place only while it is steady: it has pushed to the same shards many times in a row
// (steadyAfter), so no connection of another shard has to wait for this one's sync; and no
// connection has had many runs in a row answered at once (swiftAfter), so nobody is there who
// does not wait for the disk. Otherwise all the logs' goroutines are woken, which is as good
// for everybody but the processor. The rest depends on the disk:
//
//   - Where groups take a millisecond lately, on average, the log declines and has its own
//     goroutine do it (pebblestore, committer.pace).
//   - A loop in a push can be relieved. When the push takes long, or never returns because the
//     log has failed, a stand-in goes on with the loop, and the goroutine that was in the push
//     ends when the push returns. Between two rounds a loop has no state on its goroutine's
//     stack, so any goroutine can go on with it. While one is still in a push, nothing more is
//     pushed in place: the other shards' logs are probably on the same disk.
//
// C2: a loop does not sleep while a push is pending, and none is pending for long: when its
// connections have made much work since the first one (gatherShare), it leaves them to the logs'
// goroutines, and goes on.
//
// C3: if Submit returns false and Later was set, the caller must push that shard: a turn that no log
// was woken for is pushed after it was committed. It may be the turn of others, which the
// submitter ran with its own; so a connection's own turn may be pushed by another loop.
//
// Without a disk, or if replies do not wait for it, no push is ever pending.
//
// It was measured whether this is still worth it: against the same server whose commits wake the
// log's goroutine, with fsync and pinned to one processor, one client had 1.16 of the rate (1.04
// to 1.72) with 0.88 of the processor time (0.81 to 0.92), and 50 clients 1.15 with 0.93.
//
// # TLS
//
// A client of a TLS listener has a socket.TLS: crypto/tls over the same non-blocking socket
// in the same loop. crypto/tls has no API that does not block, but can be used without
// blocking:
//
//   - Reading. tls.Conn.Read can be called again after a temporary error, and goes on in
//     the middle of a record. So it returns such an error when the socket is empty.
//     One fill reads all records that have arrived.
//   - Writing. After an error tls.Conn never writes again. So socket.TLS accepts all records;
//     the loop seals at most 64 KB (SealPiece) at a time, into a buffer of its own, and
//     sends them with one call. What the socket does not take is kept, and the
//     connection is stuck until that has been sent.
//   - The handshake cannot be interrupted. It has a goroutine of its own, from the client's
//     first bytes until it is made or has failed; after that only the loop has the
//     connection. The goroutine reads from the socket that the loop polls, and the loop
//     wakes it at each event. Package secure bounds how many handshakes are computed at
//     once, so a flood of them leaves the loops their processors. The session begins when
//     the handshake has been made.
//
// A client announces the end of its stream in a record, where epoll cannot see it. So while
// a connection with TLS waits in a reserve, the loop goes on reading from it, up to one read
// buffer. When the server closes a connection it announces that in a record too, unless it
// has given up replies: then the client must see that the stream was cut.
//
// # Designs not taken
//
// A goroutine for each connection, blocked in Read, is shorter to write. It was
// measured and rejected: an idle client costs a stack and buffers, kilobytes
// instead of hundreds of bytes; every request costs a read that finds nothing,
// after which the runtime parks the goroutine and polls for it; and while a
// client waits in a reserve nothing reads from it, so only a second goroutine
// would notice that it has closed its side.
//
// Writing each answer as it comes would cost a system call for each command.
// A write buffer for each connection would cost memory for all idle ones.
// Level-triggered polling would report the input of a connection that does not
// want to read at the moment again and again, or cost calls to switch it off and on.
//
// TLS over the loops' sockets (see TLS) was measured against plain connections to the same
// process, with TLS 1.3 and AES-GCM, on a shared machine (rows tls, tls-pipelined and tls-idle
// of tools/bench, and a benchmark of idle connections):
//
//	                                       plain      TLS      ratio
//	CPU per command, one in a write        9.8 µs    11.7 µs   1.2
//	CPU per command, 16 cycles in a write  0.68 µs   0.81 µs   1.2
//	idle connection, resident              2.4 KB     9.7 KB
//	idle after a body of 9 KB              5.1 KB    11.8 KB
//
// A flood of handshakes may delay others. To measure this, ten clients without TLS put jobs, with
// and without the flood in turns. One handshake costs the
// server 0.4 ms with X25519 and a P-256 key, system calls included, and the client as much. So
// two cores hardly make 2,000 a second. While only a few other programs ran, they made 1,730,
// and the p99 of the others rose from 0.7 ms to 3.2 ms. The likely reason, which was not
// traced, is the kernel's scheduler: handshakes followed each other on a thread that never
// slept, and others may have waited for the end of its slice of 3 ms. Since then a handshake
// lets others have the processor in its middle and at its end. This was measured only while
// other programs used the machine fully, so p99 was high without the flood too; in ms:
//
//	                           before, no flood  flood     after, no flood  flood
//	one loop                   4.0 to 5.9        4.3, 5.3  3.4, 3.7         3.1, 3.3
//	two loops                  5.1, 5.8          4.9, 5.8  11, 13           3.9, 5.2
//	two loops, all front ends  4.2, 5.4          6.2, 7.2  5.9, 13          4.5, 9.1
//
// with 850 to 1,360 handshakes a second. P-256 for the key exchange, which clients choose,
// takes a third off their cost, and a resumed session a quarter.
//
// A record layer of our own, with the secrets of crypto/tls's handshake, could seal and open
// in the loops' buffers and save a part of that fifth. It was not built: it would be
// one more implementation of cryptography to get wrong. The kernel's TLS is not used either:
// many kernels lack it (tcp_available_ulp), and so did the one where this was measured, so
// it could not have been tested.
package event
