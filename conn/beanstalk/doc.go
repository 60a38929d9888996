// Package beanstalk is the front end that speaks the beanstalk protocol: it reads what
// clients send, parses it, has the router run it, formats the answers and writes
// them back. The words of the protocol are here and nowhere else. Package conn lets
// clients in.
//
// # The problem
//
// The queue runs a command in well under a microsecond. Getting it there and its
// answer back costs far more: system calls, goroutines that are woken and put to
// sleep, and memory for clients that mostly say nothing. So a pipeline of commands
// should take one read and one write however long it is, an idle connection should
// take hundreds of bytes, and no client, whatever it does or fails to do, should
// hold up another or make the server grow.
//
// # To add a command
//
// Give it a row in table.go: its line, right, answers, and what people are told of it, as they read it. Parser, rules,
// statistics, metrics and logs follow from these words. If one shard does all, the row names the operation
// (queue.Op); if the session or all shards are concerned, it names a function, as those in exec.go; if the body says
// what to do, it names the function that takes the body. "uncounted" keeps it out of the reply of stats. What the
// queue and the tests need is in tools/GUIDE.md.
//
// # Loops
//
// A loop is a goroutine with an epoll instance and its share of the
// connections; there is one for each processor but one. It owns
//
//   - its connections: others touch only the queued flag of a Conn,
//   - one read buffer and one reply buffer, which all its connections use in turn,
//   - spare runs, and the timers of the connections that wait.
//
// All other goroutines, mainly those that run shards, reach a connection by Notify,
// which puts it into its loop's inbox and wakes the loop if it sleeps. Sockets are
// edge-triggered and registered once. A loop reads from one until a read comes back
// short, so that no read is made just to learn that there is nothing.
//
// No connection keeps its loop for long: after four reads (readsPerTurn), a certain
// amount of work (effortShare), half a megabyte sent (sendShare) or a piece of a long
// list (listPiece), the loop's other connections have their turn. Nor does the inbox:
// after a part of it (inboxShare) the loop checks its sockets again. A connection that is
// closed ends its session from the inbox, for the same reason: fifty clients that hang up
// at once, each with thousands of tubes, would take some milliseconds otherwise.
//
// To tell administrators who is connected (Clients), a loop goes through its table in parts
// (partLength), one each time that it is asked. It is asked by a bell: a Conn without a socket,
// which comes through the inbox as others do. So a command pays nothing for this.
//
// A loop shares the processors with other goroutines. Before it sleeps, it lets them run if one
// has been woken lately (yield), and as long as a shard that owes it an answer is busy (linger).
// Otherwise it just sleeps: where Go may run more goroutines than there are loops (cmd/beanfield
// sees to that), nobody waits for it, and to yield would wake another thread, which then goes on
// with the loop. A loop that moves large bodies may not sleep for seconds, so it lets others run
// after each quarter of a megabyte (bulkShare). Without this, another client waited up to 40 ms on
// one processor while a gigabyte was being sent.
//
// # The life of a command
//
// protocol.NextLine finds the line and the grammar reads it, without allocating; the table of
// the commands (table.go) says what to do. A command that one shard can answer becomes an
// operation of the connection's run: the consecutive commands for the same shard. A command for
// another shard, one that concerns the session or all shards, an answer that is known already,
// or the end of the input flushes the run: it goes to the shard as one batch, and its answers
// are appended to the loop's reply buffer in the order of the operations. When the
// connection cannot go on, or the buffer is full, one write sends it all.
//
// A put that has arrived completely is an operation like others: its body is
// borrowed from the read buffer, and its id is allotted when it is applied, so
// that it may follow a reserve that has to wait. A put whose body is still to come
// takes its id when its line is read, after all earlier commands have been
// answered. Its body is gathered in parts as it arrives; nobody sees the job
// before its last byte. Either way, ids follow the order of lines.
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
// # The states of a connection
//
//   - ready: its next command may run.
//   - a call is under way (call): a batch is in a shard's mailbox, or a
//     session's script is being played. The shard's answer notifies the
//     connection; the loop resumes the session, which may go on to the next
//     step, and formats the result.
//   - waiting: a reserve has found nothing. A shard delivers a job, or the
//     loop ends the wait because of a timeout, a deadline, or a hang-up. One
//     compare-and-swap in the session decides which of them it is.
//   - stuck: the socket does not take more replies. Only then does the loop ask
//     epoll to report room in it; when all replies are out the connection goes on.
//   - listing: the answer is a long list of tubes, and a part of it is still to be
//     written.
//   - closed: nothing is read, run or written any more. The end of the session
//     releases the jobs that the client held. The socket is closed last, so that a
//     client that sees it close finds its jobs released.
//
// Only the loop moves a connection between these. In all but the first,
// input that has been read waits in Conn.in and no more is read.
//
// A client may call its wait off: if the line that follows the reserve is call-off, the wait ends as by a timeout, and
// then that command is run. So while a connection waits, its loop looks whether this line has come, and leaves it, and
// all else, where it is (calledOff).
//
// A client that shuts down its sending side while it waits gets TIMED_OUT at once;
// the commands that it had already sent are run, and then the connection is closed.
//
// # After a pause
//
// The process may stand still while times pass: it was stopped, or its machine was. What
// was due then comes before what clients have sent meanwhile. Shards see to their jobs and
// tubes (package shard), a loop to the waits: it rings its alarms before it reads. A wait
// whose time is over first asks the shards where it waits, so that it brings the job that
// became ready in time. Beside beanstalkd 1.12, both stopped over the deadlines, the answers
// are the same: reserve-with-timeout 0 has the job whose delay or pause is over, stats-tube
// counts it as ready, and a client whose job has expired is told NOT_FOUND by touch,
// release and bury, and DELETED by delete unless another client has the job by then, because
// anybody may delete a ready job. They differ for a client that waits while its own job
// expires: beanstalkd tells it DEADLINE_SOON; here it gets the job, which is ready again.
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
// # Web pages
//
// A page of any site can make a browser send a request to any port that the browser's machine
// reaches, with a body of the page's choice, and the lines of the body would be commands. The
// page cannot have a body without a request line and the header Host before it. So, unless the
// listener lets it (Door.HTTP), these end the connection (http.go):
//
//   - a first line that is a request line, of any length;
//   - a line that begins with "Host:", in any case, at any place where a command may stand;
//   - a first line that begins as a TLS handshake does: a page of https can have commands in it,
//     since a site chooses the session that its browsers resume.
//
// No client of the beanstalk protocol sends such lines. The body of a put may have any.
//
// # Who may do what
//
// Package access has the rules. Without any, a command pays for one atomic load. With rules a
// connection has a guard from its first command on: who the client is, and what it may do.
// Rights on the tube in use are kept from one use to the next. Operations that name a job are
// judged by the job's shard (queue.Authorizer), because only the shard knows the job's tube.
//
// A reserve is never refused. It waits only at those of the watched tubes from which the client
// may reserve; the others are hidden from it (router.Session.Review). Often default is one of
// these, because all clients watch it from the start. A client that holds a job may always
// delete, release, bury and touch it, and see its statistics.
//
// There is no new word for a refusal: old clients would not know it. A command that may find
// nothing is refused with NOT_FOUND, so a client cannot tell a tube that it may not see from one
// that does not exist. Any other command is refused with BAD_FORMAT: all clients take it as an
// error, and none tries again.
//
// The table says which right each command needs; beanfield help rights shows it.
//
// With rules, stats counts only tubes on which the client has the right stats, and their jobs;
// job-timeouts is 0 then, because nobody counts it by tube. The figures of the process are the
// same for all clients.
//
// When the rules are replaced, a connection finds out before it runs the next commands that it
// has read. One that waits in a reserve is told by its loop, which goes through its connections
// (recheck.go): if that changes the tubes that it may reserve from, its wait ends and begins
// again with the new ones. A command that has been handed to its shard is judged by the rules that held then. A
// command may still have to wait, because a reserve before it waits, or the client does not read its replies.
// Then it is judged by the rules that hold when it is run: the rest of a run that was judged by
// other rules is taken apart into commands, which are executed once more (recall.go).
//
// Refused commands, and those with which administrators intervene in the work of others, go to
// the audit log, if there is one (told.go).
//
// Clients of listeners that ask for it may log in with a token: by "auth TOKEN", answered with
// OK 0 and an empty body, or NOT_FOUND; or by a put (not put-in-tube) whose body is "oauth TOKEN" and anything
// behind a space, answered with an id that is used up and no job. A token that a rule knows never
// becomes a job: where clients may not log in, such a put is answered BAD_FORMAT. With other tokens
// it is a job, because anybody may write such a body; but the first put of a client that may
// log in and may not put counts as a login with a wrong token. A wrong token is answered late (access.Guesses)
// by a timer of the loop, and the third one ends the connection.
//
// # Invariant C1: replies in the order of commands
//
// The answer of a command is in the reply buffer, or already sent, before the
// answer of any later command. The reasons: within a run, operations are applied
// and answered in order. Everything else that appends an answer flushes the run
// first. flush reports false while the connection is not ready, and then the
// command is not begun: its line stays in the input and is parsed again. A session
// has at most one batch in a mailbox at any time, so two shards never work for one
// connection at once. A run that stops at a wait, or because its answers have
// become large, keeps its remaining operations, and goOn submits them, or executes
// them once more under other rules, before it parses any input. Bytes leave in order
// because stuck replies stop the connection, and what is sent meanwhile is queued
// behind them.
//
// # Invariant B3: whose bytes, until when
//
// The loop's buffers are used for one connection after the other. What was read for a
// connection is that connection's until its turn is over or it reads again, whichever comes
// first; so are the replies that gather, and their records. Then the next one overwrites them.
// So whoever needs bytes for longer copies them, and says so at the field:
//
//   - Conn.in: input that cannot run yet. Conn.put: the parts of a body that is arriving.
//   - A run: what it borrows from the read buffer (Retain, B2). It does so when a part of
//     it is left over, when it is under way, or when it was not submitted because replies are
//     stuck. The operations themselves let go of all that they have borrowed once they are
//     applied (B1); a tube's name in Op.Tube is the shard's, which never changes it.
//   - Conn.stuck, TLS.out: replies that the socket did not take. A large body is the job's,
//     which nobody ever changes, and is not copied.
//   - Everything that the session, the rules, the audit log and others keep are strings made
//     for them: names of tubes, tokens.
//
// Tests overwrite the buffers at each of these ends (spoil), and the answers of a run that is
// given back, so all of them fail on a pointer that stays.
//
// # Bounds on memory
//
//   - Idle: the Conn and its session, no buffer, no goroutine.
//   - Input: one read buffer's worth behind a command that cannot run yet.
//   - A body that is arriving: what has arrived, rounded up to the part that is
//     being filled, of 4 KB at first and 1 MB at most. Announcing a large body
//     costs nothing. What has arrived beyond the first 64 KiB of each is rationed (conn.Budget),
//     and one address may have as much of that as is still free: a body for which nothing
//     is left is thrown away, and answered OUT_OF_MEMORY. A client that may not put into any
//     tube, or do anything with any job, is refused before the body is kept.
//   - A job that is too big, a line that is too long: a few bytes, in skipper.
//   - A slow reader: the answers of one batch. A batch is handed back when the
//     bodies in its answers pass 256 KB; large bodies are shared with the job
//     and not copied.
//   - TLS: about 5 KB for an idle connection, the part of a record that has arrived, and
//     64 KB of records that the socket has not taken. crypto/tls would keep a buffer of up to
//     18 KB for its records; the loop lends it one instead (socket/record.go). A half handshake takes
//     some 22 KB, and ends with HandshakeTimeout, or when too many have begun.
//   - Ids: an accepted put line that never becomes a job gives its id up, so
//     the directory does not grow.
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
// of tools/bench, and BenchmarkIdleConnections):
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
//
// There is no deadline for slow readers: reading late is not an error, as long as
// it costs the server a bounded amount.
package beanstalk
