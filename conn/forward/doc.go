// Package forward passes clients of a node that does not serve on to the one that does.
//
//	client --> Forwarder, at the node to which it has come --> Link, at the node that serves --> Host
//
// The Forwarder is the front end of all entrances of its node (Over). For each client it makes a connection to the
// Link of the node that serves, says on it who the client is, and joins the two sockets: bytes are passed on as they
// are, both ways. The Link gives the connection to the Host, the front ends of its own process, and never passes one
// on: so there are no loops, whatever two nodes believe of each other.
//
// TLS of clients ends at the node that serves. So client certificates, tokens, rules, and their reload, work the same
// at every node, and the node between needs no key. The serving node's certificate must be good for the name that
// clients use.
//
// # The handshake
//
//	link -> node  greeting  "beanlnk", version; nonce (32 bytes)
//	node -> link  request   "beanlnk", version; length (2 bytes); nonce (32); cluster, node, front end and place (each
//	                        with its length); flags (TLS, login, HTTP, local); peer (address, or process on a unix
//	                        socket); proof (32)
//	link -> node  answer    taken, not serving, or refused; reason (with its length); proof (32)
//
// "Not serving" is not the last word: the link has the client wait, and answers once more when it serves, or has room
// (hold.go). If it closes the connection instead, the first answer holds, and the node comes again later.
//
// A proof is HMAC-SHA256 of what is sent and of both nonces, with a key made from the cluster's name and secret. So
// both sides prove who they are, no clocks are compared, and nothing can be sent twice. Each side reads exactly these
// bytes: after "taken" the bare socket is the client's, and the front end gets it. It gets it right before the answer
// is sent, while it can still say no. All descriptors that a client needs are there before: a shortage is told in time.
// Front ends do not speak before their clients do, and the client's first bytes
// come after the answer.
//
// With certificates the connection is TLS 1.3, and both sides must show one that the cluster's CA has signed. Then the
// link joins it, by the same loops as a forwarder's, with one end of a pair of unix sockets, whose other end the front
// end gets. Without certificates whoever is on the line can read the bytes between nodes, and change them, as those of
// the engine: the proofs are about who begins a connection, not about what is sent on it.
//
// A node's word about its clients is believed: their addresses, their processes and users, and their entrance. So
// whoever has what nodes prove themselves with may claim to be any client: the secret, a certificate that the cluster's
// CA has signed, or both where both are set.
//
// # Who owns what
//
//	loop      a goroutine: its epoll instance, one buffer, its pairs. Others reach it by post.
//	pair      a client and the connection on which it is passed on: two ends, that is sockets. Its loop's.
//	line      the clients of a forwarder's loop that are not joined: they wait, or are shaking. Its loop's.
//	handshake a goroutine for each, until it posts the new connection to its loop: 64 at most over all loops that a
//	          link has not answered, and those whom it has wait.
//	guests    those who are shaking hands with a link, under a lock; each has a goroutine.
//	holds     nodes whose clients a link has wait, under a lock; each has two goroutines: one waits, and one watches
//	          whether the node closes the connection.
//
// A client stays with the loop that it is given to when it comes. While it waits, the loop watches its socket and
// reads nothing. When there is an owner, the first of the line are passed on. If the owner's link does not serve yet,
// or has no room, it has four of each entrance wait, or one of each loop (heldEnough): they are served there without
// being asked for again, and the others wait here, behind them. If the link cannot be reached, or has too many
// already, the client goes back to its place, and nobody of its entrance is passed on for 100 ms, then twice as long,
// up to 250 ms. Neither keeps anybody of another entrance waiting. If the link refuses a client, it is closed: then
// the two nodes have different listeners, or believe in different clusters. When a wait has taken too long the client
// is closed, wherever it waits.
//
// # How connections end
//
// What a side has sent before it ended reaches the other one, and then the end does, by a half-close; the other
// direction goes on. Two things bound what is left:
//
//   - the server has ended its side, or the client takes no more: the pair ends when no byte has moved for 15 s
//     (lingerFor). A front end does not half-close and go on, so nothing more would come;
//   - both sides have ended, or the server takes no more either: the pair ends at once.
//
// A client that has reset its connection looks to the server like one that has half-closed it: what it sent before is
// served, and the replies are thrown away. A connection between nodes that breaks may have lost replies, so the
// client's is reset. When the owner changes, replies that have arrived are passed on, and then
// all pairs end. When the forwarder is closed, or a link whose front ends have closed their clients, nothing more is
// read from clients, and a pair ends at the end of the replies, or when no reply has come for 100 ms (quietFor).
//
// # What it costs
//
// Measured on two processors that others used too (BenchmarkHop of commit bfe50b71, TestIdle, TestIdleTLS). The
// processor time is that of client, nodes and server for a question of 20 bytes and its answer; the difference is
// that of the hop:
//
//	                    direct    passed on      with certificates
//	50 clients          7.6 µs    14 to 19 µs    27 to 31 µs
//	the same, 16 KB     11 µs     28 µs          62 µs
//	one client          7.5 µs    18 to 20 µs    100 µs, mostly changes of threads
//	waiting             390 bytes
//	idle                          1 KB           14 KB, at both nodes together
//
// To look for more events without blocking before each wait did not help: 17 µs for 50 clients, where waiting at once
// took 14 to 18. The loops of package event were not used: they are about shards, sessions and replies, and close a
// connection whose client has shut down its side.
//
// splice(2) was not built. It needs a pipe for each direction, four more descriptors for a pair, and two system calls
// for each piece, as read and write do; it would save the copying. The hop of 16 KB each way takes 5 µs more than that
// of 20 bytes (16.3 µs and 11.5 µs), so 30 % for large jobs is the most that it could save, and nothing for commands
// and replies as they are.
//
// With three real nodes, processor time of all of them for a command, beside that of a direct one (tools/bench through,
// medians of 24 pairs, and of 10 with certificates, which scatter from 0.93 to 1.84):
//
//	                     passed on   with certificates
//	50 clients           1.25        1.52
//	16 cycles pipelined  1.13        1.32
//
// An idle client takes 1.3 KB at the node between (resident, 9,000 clients); with certificates 4.5 KB there, and 13 KB
// where it is served (5,900 clients).
//
// # Invariants
//
// FW1: bytes reach the other side in order, and all of them, unless the pair ends for one of the reasons above.
//
// FW2: nothing of a client is read before a link of its owner has said "taken". So a client that is closed while it
// waits knows that none of its commands has been run. One that has left while it waits leaves at once, if it has reset
// its connection, or has sent nothing. Otherwise it may have shut down its sending side alone, and wait for the answers
// to what it has sent; it stays until it is served or its wait is over. On a unix socket the two can be told apart: who
// has closed its socket leaves at once, also if it has sent something, and nothing of that is run.
// On macOS all this holds only for who has sent nothing: what comes behind bytes that nobody has read is not told
// there (package socket). Others stay until they are served, or their wait is over.
//
// FW3: for an end that does not read, at most one read of the other one is kept, 64 KB, and then the other end is not
// read any more. TLS adds the records that this makes. An idle pair keeps nothing: its buffer is the loop's.
//
// FW4: in one turn at most four reads of each end of a pair are passed on (readsPerTurn). Then others have their turns.
//
// FW5: Options.Left is called once for each client that was welcomed, after its socket was closed. A client that was
// given to this process' host takes its place along: the host's front end says when it has left.
//
// FW6: descriptors are closed at the end of a round. So an event of the round is never taken for that of a socket which
// has got the number of one that was closed in the same round.
//
// FW7: a stranger at the link, who has no secret and no certificate, gets a greeting and nothing else, and has 5 s. At
// most 512 of them may be there, and 128 from one address. When one too many comes, the one that came first is closed:
// a node that answers at once is never that one. At most 64 handshakes of TLS compute at once (slotted). A request is
// at most some 900 bytes long.
//
// FW8: a stranger at the address of a link gets no byte of a client.
//
// FW9: when Local returns, the host that was named before is given nobody any more. Who waits for room there waits for
// its successor.
//
// FW10: clients of one entrance of one node are served in the order in which they have come to the link, and the first
// of them takes its turn among all who wait for room (package conn). So a client waits about as long at a full server
// as one that comes directly: each entrance of each node counts like a listener there. At a link 256 wait at most
// (mostHeld), or one of each entrance of each node if those are more.
//
// FW11: a node that is dead, or cut off, and has said nothing of it, keeps the places of its clients for 20 s at most
// (deadAfter): then the kernel, which asks each connection on which nothing moves, closes it. A connection with replies
// on the way lasts as long as the kernel sends them again, some 15 minutes on Linux. TCP_USER_TIMEOUT would bound that
// too, but it also closes the connection of a client that is alive and reads slowly (measured on Linux 6.18).
package forward
