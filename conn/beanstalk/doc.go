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
// # Loops and commands
//
// This package has the table of the commands and what they do. Sockets, event loops, what is read and sent and when,
// and who pushes logs are in package event below it. A Conn here embeds one of event's, and a loop here one of event's,
// with what its connections use in turn. The loop calls a Conn by an interface, about once for each event: not for
// each command, so that costs nothing that can be measured.
//
// The cut is between what holds for any protocol, and this one. The two know little of each other: event knows that a
// client awaits a shard, and not why; this package knows that replies are stuck, and not until when.
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
// input that has been read waits in Conn.In and no more is read.
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
// other rules is taken apart into commands, which are executed once more (recheck.go).
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
//   - Conn.In: input that cannot run yet. Conn.put: the parts of a body that is arriving.
//   - A run: what it borrows from the read buffer (Retain, B2). It does so when a part of
//     it is left over, when it is under way, or when it was not submitted because replies are
//     stuck. The operations themselves let go of all that they have borrowed once they are
//     applied (B1); a tube's name in Op.Tube is the shard's, which never changes it.
//   - event.Conn.stuck, socket.TLS.out: replies that the socket did not take. A large body is the job's,
//     which nobody ever changes, and is not copied.
//   - Everything that the session, the rules, the audit log and others keep are strings made
//     for them: names of tubes, tokens.
//
// Tests overwrite the buffers at each of these ends (event.Spoil), and the answers of a run that is
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
//     18 KB for its records; the loop lends it one instead (conn/socket/record.go). A half handshake takes
//     some 22 KB, and ends with HandshakeTimeout, or when too many have begun.
//   - Ids: an accepted put line that never becomes a job gives its id up, so
//     the directory does not grow.
//
// There is no deadline for slow readers: reading late is not an error, as long as
// it costs the server a bounded amount.
package beanstalk
