// Package admin is the front end for administrators and their monitoring: health, metrics, the
// console and profiles, over HTTP.
//
// # Pages
//
//	/healthz       200 as long as the process answers
//	/readyz        200 if clients can work; otherwise 503, with a reason on each line. ?put=1: and jobs are accepted
//	/metrics       figures for Prometheus
//	/debug/pprof/  Go's profiles, only if Options.Profiles allows it
//	/              the console, and all that it has below
//
// The first two need no token, so that a load balancer or a supervisor can ask. For all
// others, if Options has tokens, the client sends one of them: as "Authorization: Bearer
// TOKEN", or as a browser sends a password, with any user name. If there are rules (package
// access), these tokens are ignored, and a rule must hold for the client. The client needs stats
// on all tubes for /metrics, and admin on all tubes for profiles. With any right it may open the
// console, which shows only what the client may see (ClientOf). A client that is not known gets
// the answer 401, and one that lacks a right 403.
//
// The pages above the console answer only GET and HEAD. The console gets its requests
// whatever their method, and must refuse those that another site's page sends.
//
// # The start
//
// The server answers before the jobs are recovered: a recovery may take minutes, and
// whoever watches the process should learn that it lives and is not ready yet. Until Open
// hands over metrics and console, their pages answer 503. A server that loses its jobs to
// another machine takes them back (Withdraw), and may bring others later.
//
// # Metrics
//
// On a job's way, counting for the metrics takes no lock, no label and no allocation.
// Shards count in plain fields, and a scrape asks each for a look (package shard). Event
// loops publish their figures every 16 rounds. Logs count once for each group of turns.
// What needs a clock is a sample: one turn of a shard in 13, one run of commands of a loop
// in 61. So beanfield_command_seconds is about the sampled commands only, from when a
// command is handed to its shard until it is answered. That includes waiting for the shard
// and for the log, but not waiting in the socket, or in a reserve for a job. Its _count is
// not the number of commands; beanfield_cmd_*_total are.
//
// A scrape asks the shards for 128 tubes at a time and keeps the busiest of them. It formats
// them in small pieces, and lets other goroutines run in between. If a shard does not answer
// within 5 s, its beanfield_shard_up is 0, and sums over all shards are left out: a sum
// without that shard would look as if its jobs were gone. Two scrapes may run at once; more
// are answered 503.
//
// The metrics of a tube have the keys of stats-tube. Tubes that have no metrics of their own
// are summed up in gauges of another name: such a sum falls when a tube ends, and a counter
// that falls would look like a restart.
//
// Clients may wait longer while a scrape is under way (measured with 100,000 tubes, a scrape in
// each half second, and another client that asks for one and never reads).
// On two cores that other programs used fully, the p99 of a put was 2.0 to 4.2 ms without
// scrapes and 3.6 to 4.0 ms with them. Before the census let others have the processor after
// each part, it was 5.1 to 6.0 ms with them.
//
// Measured with 100,000 tubes, of which 1,000 are listed, and the aliases (go test -bench
// HundredThousand ./conn/admin, two cores): 68 ms, 1.6 MB.
//
// # Bounds
//
// Headers are bounded in size and time, bodies in size and time, and an answer must be
// taken within Options.WriteTimeout. A page that lasts longer (a profile, the console's
// events) sets deadlines of its own through http.ResponseController, and ends when the
// request's context does. So no client, whatever it does or fails to do, can hold a
// goroutine for long. No goroutine here runs an event loop, and only a scrape takes a shard,
// for a moment.
//
// # Invariants
//
//	AD1  No goroutine outlives its connection, and no connection outlives Shutdown (package
//	     httpfront).
//	AD2  No handler outside of /healthz and /readyz runs for a client without a token, if
//	     there are tokens, or without the rights that its page needs, if there are rules.
//	AD3  When Withdraw has returned without an error, no handler of the pages that it took away
//	     runs, and none ever will.
package admin
