// Package queueservice is a front end of the server: a queue service over HTTP and
// WebSocket, which clients of Alibaba's PAI-EAS queue service can use unchanged. It
// puts, gets and pushes the jobs of the same tubes as package beanstalk.
//
// The rules of queues, groups and consumers are in package shard/queue. This package
// turns requests into operations (queue.Ask), and answers and pushed items into
// bytes. It reaches the shards through the interface Shards, which the router
// implements.
//
// # Addresses
//
// /api/predict/S is the queue S, which is the tube S; /api/predict/S/sink is its sink,
// the tube S/sink. The rest of a longer path is ignored. Without /api/predict/S, the
// service is Options.DefaultService. The header X-EAS-QueueService-Access-Rear selects
// the queue's rear queue, whose name ends in queue.RearSuffix. Everything else is in the
// method, the query and the headers: keys of the query that begin with _ are parameters,
// all others are tags.
//
// # Doubtful requests
//
// A get takes an item unless it says otherwise, so a request that leaves a doubt is refused (400)
// before anything is asked of a shard: a boolean that is neither true nor false, an empty index, a
// key that comes twice, an unknown key that begins with _, and a parameter that the operation does
// not take. In a put, which takes nothing, unknown keys that resemble no parameter are ignored,
// because Go's SDK lets its users send them.
//
// # Who may do what
//
// If there are rules (package access), a request needs a right on its queue. A rear queue
// has the rights of its queue; a sink is a queue of its own.
//
//	put              POST: items, many items, end (_eos_)
//	put and delete   POST: end that empties the queue (_force_)
//	reserve          GET: get, watch; PUT: commit, negative
//	peek             GET with _auto_delete_=false
//	stats            GET: attributes, search, count
//	delete           DELETE: items, truncate
//	admin            DELETE: a group, because its consumers lose what is pending
//
// A client is known by its token, in the header Authorization as it is, by its certificate,
// its address, or its process on a unix socket. The answer is 401 if its token is wrong, or if
// it has none and no rule holds for it. If the client lacks the right, the answer is 403,
// whether the queue exists or not. A wrong token is answered late. After too many from an
// address, a right one is late too, but it gets in (package httpfront).
//
// A consumer's name proves nothing. So a client that may no longer reserve cannot finish the
// items that were pushed to it: they go to another consumer. When rules or tokens change, watches
// and gets that wait and are not allowed any more end at once, a WebSocket with code 1008. If the
// client does not read, its connection is closed after a second, and what it sends until then is
// ignored. A request is judged when its headers have come, and again when its body has come.
//
// Without rules, Options.Tokens let clients in, and each may do everything. If there are rules,
// these tokens are ignored.
//
// The audit log (package audit) is told of every request that was refused, and of those that
// delete, truncate, end a queue or remove a group.
//
// # Connections
//
// Package httpfront receives the clients, makes TLS handshakes, and closes all connections at
// the end. net/http serves a connection, in a goroutine of its own, until a client asks for
// the WebSocket protocol. Then the connection leaves net/http and its buffers behind,
// and becomes a consumer with two goroutines:
//
//	shard --Receive--> outbox <--- writer ---> socket <--- reader ---> shard
//	                   batches     encodes                 pings, close,
//	                                                       commits (JSON)
//
// The shard appends what it pushes to the consumer's outbox, and wakes the writer only
// if it sleeps. The writer encodes all that has gathered into one buffer, which it
// borrows for as long as there is something to write, and writes it with one system
// call. So many frames leave in one write, and an item costs neither a goroutine nor an
// allocation. A ping for an idle consumer is written by the goroutine that has
// it (direct.go). An idle consumer takes two parked goroutines and a few hundred bytes.
// A watch over plain HTTP has the same outbox, and the handler's goroutine is its writer.
//
// A get that waits is a handler that sleeps until its Getter is called. Then it asks
// again.
//
// # The JSON subprotocol
//
// A client that asks for the WebSocket subprotocol beanfield.json is sent each item as
// one text frame,
//
//	{"index": 7, "tags": {"k": "v"}, "data": "text"}
//
// with "data64" instead of "data" if the body is not UTF-8. It may send
//
//	{"commit": [7, 8], "id": 1}
//	{"negative": [7], "code": "Busy", "reason": "no room", "id": 2}
//
// An id is optional; it is sent back as {"done": 1} when the operation is complete. A
// message that is not understood closes the connection. Since a page cannot set
// headers, _uid_, _gid_ and _token_ may be in the query; this does not apply to connections
// without the subprotocol.
//
// # Pages from elsewhere
//
// Package httpfront refuses what a page of another origin has sent, unless it is one of
// Options.Origins: 403, before anybody looks at the token, so that such a page cannot try tokens
// from its visitors' addresses either. Where no token is asked for on a loopback address, a Host
// that is none of Options.Hosts is 421.
//
// # The end of a queue
//
// A consumer learns that its queue has ended (_eos_) as soon as its group is done with all
// that the queue had: it is told behind the last item, and while others may still refuse
// what they have, it is not told yet.
//
//   - A client of the JSON subprotocol is sent {"ended": true}, and its connection stays.
//   - Another WebSocket ends with a close frame, code 1000, "the queue has ended".
//   - A watch over plain HTTP ends as an answer ends.
//
// The vendor's clients know no other sign than the end of the connection, and connect again
// whatever the reason: after at most a second in Go and Python, after five in Java, for ever.
// So a consumer is told in this way only once. When it comes back, it is let in and its
// connection is left idle, which costs the least: nobody tries again, as after a refusal. It
// is still a consumer, and gets what beanstalk clients put into the tube. A consumer that is
// forgotten (after Limits.Forget), or whose client gives no name, is told again, and so is
// every consumer after a restart.
//
// # Many items in one request
//
// A POST with _batch_=true and Content-Type application/x-ndjson puts one item for
// each line, {"data": "text", "tags": {"k": "v"}, "priority": 1} or with "data64". The
// answer is a JSON array of their indexes. If a line is wrong, nothing is put. Each item has the
// limit of an item, and the body that of Options.MaxBatch. What the bodies of all batches and long
// lists of indexes take together is rationed (conn.Budget), and what all gets have found beyond a first portion: a
// batch that does not fit is 503, a get stops short and says so in a header.
//
// # Dead peers
//
// A consumer from which nothing has come for half of Options.DeadAfter is sent a ping;
// after the other half it is dead, and leaves. On a watch over plain HTTP no ping can be
// sent: there the kernel asks whether the peer lives, and gives up after DeadAfter, or, if
// something that was sent is not acknowledged, after about a quarter of an hour. A write
// that makes no progress for Options.WriteTimeout fails.
//
// A consumer that has left is shown in the attributes as long as it has something pending,
// and then for DeadAfter again (Limits.Forget).
//
// # Clients that stall
//
// A request's headers must arrive within Options.ReadTimeout, and so must each further part
// of its body; otherwise the connection is closed. Until then a client that stalls takes
// about 14 KB, whatever it has announced, and memory for what it has sent: at most one and
// a half times Options.MaxHeader, and the part of the body that has arrived. When there
// are no descriptors left, package conn accepts nobody until a client leaves.
//
// # Invariants
//
//	QS1  Every delivery batch that a consumer receives is counted once: when it has been written,
//	     by the next AskSent or a later one. After AskLeave, Replaced or Removed nothing is
//	     counted, because the shard has forgotten the receiver.
//	QS2  After Replaced or Removed, or when the client may not reserve any more, only the
//	     end is written: a close frame, or the end of the response. What was in the outbox
//	     is not sent. (A frame that has been begun is completed, if the client reads it.)
//	QS3  No goroutine outlives its connection, and no connection outlives Shutdown.
//	QS4  Every AskWatch that was answered OK is followed by exactly one AskLeave.
//	QS5  Only the writer writes to a consumer's socket or, while it sleeps, the one
//	     goroutine that has taken its place. All others leave in the outbox what is to
//	     be written.
//	QS6  What a client sends is bounded before it is kept: headers, bodies, query, tags,
//	     indexes, frames, messages.
package queueservice
