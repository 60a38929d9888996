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
// /api/predict/S is the queue S, which is the tube S. /api/predict/S/sink is its sink, the tube S/sink. The rest
// of a longer path is ignored. Without /api/predict/S, the queue is Options.DefaultService. The header
// X-EAS-QueueService-Access-Rear selects the queue's rear queue, whose name ends in queue.RearSuffix. Everything
// else is in the method, the query and the headers: keys of the query that begin with _ are parameters, all others
// are tags.
//
// # Doubtful requests
//
// A get removes an item unless it says otherwise, so an ambiguous request is refused (400) before any shard is
// asked: a boolean that is neither true nor false, an empty index, a key that comes twice, an unknown key that
// begins with _, and a parameter that the operation does not take. A put removes nothing. So its unknown keys are
// ignored if they resemble no parameter: Go's SDK lets its users send them.
//
// # Who may do what
//
// If there are rules (package access), a request needs a right on its queue. A rear queue
// has the rights of its queue; a sink is a queue of its own.
//
//	put              POST: one item, many items, the queue's end (_eos_)
//	put and delete   POST: an end that empties the queue (_force_)
//	reserve          GET: get, watch; PUT: commit, negative
//	peek             GET with _auto_delete_=false
//	stats            GET: attributes, search, count
//	delete           DELETE: items, truncate
//	admin            DELETE: a group, because its consumers lose what is pending
//
// A client is known by its token (the whole header Authorization), its certificate, its address, or its process on
// a unix socket. The answer is 401 if its token is wrong, or if it has none and no rule applies to it. If the
// client lacks the right, the answer is 403, whether the queue exists or not. A wrong token is answered late, a
// right one never (package httpfront).
//
// A consumer's name proves nothing. So a client that may no longer reserve cannot finish the items that were
// pushed to it: they go to another consumer. When rules or tokens change, waiting watches and gets that are no
// longer allowed end at once, a WebSocket with code 1008. If the client does not read, its connection is closed
// after a second, and what it sends until then is ignored. The rights of a request are checked when its headers
// have come, and again when its body has come.
//
// Without rules, Options.Tokens let clients in, and each may do everything. If there are rules,
// these tokens are ignored.
//
// The audit log (package audit) records every refused request, and those that delete, truncate, end a queue or
// remove a group.
//
// # Connections
//
// Package httpfront receives the clients, makes TLS handshakes, and closes all connections at
// the end. net/http serves each connection in a goroutine of its own, until the client asks for WebSocket. Then
// the connection leaves net/http and its buffers, and becomes a consumer with two goroutines:
//
//	shard --Receive--> outbox <--- writer ---> socket <--- reader ---> shard
//	                   batches     encodes                 pings, close,
//	                                                       commits (JSON)
//
// The shard appends what it pushes to the consumer's outbox, and wakes the writer only if it sleeps. The writer
// encodes everything in the outbox into one buffer, which it borrows only while there is something to write, and
// writes it with one system call. So many frames leave in one write, and an item costs neither a goroutine nor an
// allocation. A ping for an idle consumer is written by the goroutine that wants it sent (direct.go). An idle
// consumer takes two parked goroutines and a few hundred bytes. A watch over plain HTTP has the same outbox, and
// the handler's goroutine is its writer.
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
// An id is optional; it is sent back, as {"done": 1}, when the operation is complete. A malformed message closes
// the connection. Since a page cannot set headers, _uid_, _gid_ and _token_ may be in the query; this does not
// apply to connections without the subprotocol.
//
// # Pages from elsewhere
//
// Package httpfront refuses what a page of another origin has sent, unless it is one of
// Options.Origins: 403, before anybody looks at the token, so that such a page cannot try tokens
// from its visitors' addresses either. Where a loopback address needs no token, a Host that is not in
// Options.Hosts is answered 421.
//
// # The end of a queue
//
// A consumer is told that its queue has ended (_eos_) as soon as its group has finished all of the queue's items.
// It is told after the last item. While another consumer may still give back an item, nobody is told.
//
//   - A client of the JSON subprotocol is sent {"ended": true}, and its connection stays.
//   - Another WebSocket ends with a close frame, code 1000, "the queue has ended".
//   - A watch over plain HTTP ends like any response.
//
// The vendor's clients know no other sign than the end of the connection, and they reconnect for ever, whatever
// the reason: within a second in Go and Python, after five in Java. So a consumer is told in this way only once.
// When it comes back, its connection is accepted and left idle. That costs least: after a refusal it would try
// again and again. It is still a consumer, and gets what beanstalk clients put into the tube. A consumer that is
// forgotten (after Limits.Forget), or whose client gives no name, is told again, and so is every consumer after a
// restart.
//
// # Many items in one request
//
// A POST with _batch_=true and Content-Type application/x-ndjson puts one item for
// each line, {"data": "text", "tags": {"k": "v"}, "priority": 1} or with "data64". The
// answer is a JSON array of their indexes. If a line is wrong, nothing is put. Each item has the
// limit of an item, and the body that of Options.MaxBatch. One budget (conn.Budget) bounds the memory of all
// batches' bodies, of long lists of indexes, and of what gets have found beyond a first portion. A batch that does
// not fit is answered 503; a get stops short and says so in a header.
//
// # Dead peers
//
// A consumer that has been silent for half of Options.DeadAfter is sent a ping; after the other half it counts as
// dead, and leaves. A watch over plain HTTP cannot be pinged: there the kernel probes the peer, and gives up after
// DeadAfter, or, if sent data is not acknowledged, after about a quarter of an hour. A write that makes no
// progress for Options.WriteTimeout fails.
//
// The attributes show a consumer that has left as long as it has something pending, and then for another DeadAfter
// (Limits.Forget).
//
// # Clients that stall
//
// A request's headers must arrive within Options.ReadTimeout, and so must each further part
// of its body; otherwise the connection is closed. Until then a stalled client takes about 14 KB, however long a
// body it has announced, plus what it has sent: at most one and a half times Options.MaxHeader, and the part of
// the body that has arrived. When no descriptors are left, package conn accepts nobody until a client leaves.
//
// # Invariants
//
//	QS1  Every delivery batch that a consumer receives is counted once, after it was written: by the next
//	     AskSent or a later one. After AskLeave, Replaced or Removed nothing is counted, because the shard
//	     has forgotten the receiver.
//	QS2  After Replaced or Removed, or when the client may not reserve any more, only the
//	     end is written: a close frame, or the end of the response. What was in the outbox is not sent. (A
//	     frame already begun is completed, if the client reads it.)
//	QS3  No goroutine outlives its connection, and no connection outlives Shutdown.
//	QS4  Every AskWatch that was answered OK is followed by exactly one AskLeave.
//	QS5  Only the writer, or the one goroutine that has taken its place while it sleeps, writes to a
//	     consumer's socket. All others put what is to be written into the outbox.
//	QS6  What a client sends is bounded before it is kept: headers, bodies, query, tags,
//	     indexes, frames, messages.
package queueservice
