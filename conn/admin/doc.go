// Package admin is the front end for administrators and their monitoring: health, metrics, the
// console and profiles, over HTTP.
//
// # Pages
//
//	/healthz       200 as long as the process answers
//	/readyz        200 if clients can work; otherwise 503, with a reason on each line. ?put=1: and jobs are accepted
//	               ?any=1: also if clients are passed on to another node
//	/metrics       figures for Prometheus
//	/debug/pprof/  Go's profiles, only if Options.Profiles allows it
//	/              the console, and all that it has below
//
// The first two need no token, so that a load balancer or a supervisor can ask. If Options has tokens, all others
// need one of them: as "Authorization: Bearer TOKEN", or as the password of basic authentication, with any user
// name. If there are rules (package access), these tokens are ignored, and a rule must apply to the client. The
// client needs stats on all tubes for /metrics, and admin on all tubes for profiles. With any right it may open
// the console, which shows only what the client may see (ClientOf). An unknown client is answered 401, and one
// that lacks a right 403.
//
// All pages but the console's answer only GET and HEAD. The console is given requests of any method, and must
// itself refuse those that another site's page sends.
//
// # The start
//
// The server answers before the jobs are recovered: a recovery may take minutes, and monitoring should see that
// the process is alive but not ready. Until Open hands over metrics and console, their pages answer 503. A server
// that loses its jobs to another machine withdraws both (Withdraw), and may open new ones later.
//
// # Metrics
//
// While a job is handled, counting for the metrics takes no lock, no label and no allocation. Shards count in
// plain fields, and a scrape asks each shard for its figures (package shard). Event loops publish theirs every 16
// rounds. Logs count once for each group of turns. What needs a clock is only sampled: one turn of a shard in 13,
// one run of commands of a loop in 61. So beanfield_command_seconds covers the sampled commands only, each from
// when it is handed to its shard until it is answered. That includes waiting for the shard and for the log, but
// not waiting in the socket, or in a reserve for a job. Its _count is not the number of commands;
// beanfield_cmd_*_total are.
//
// A scrape asks the shards for 128 tubes at a time and keeps the busiest of them. It formats them in small pieces,
// and yields to other goroutines in between. If a shard does not answer within 5 s, its beanfield_shard_up is 0,
// and sums over all shards are left out: a sum without that shard would look as if its jobs were gone. Two scrapes
// may run at once; any more are answered 503.
//
// The metrics of a tube have the keys of stats-tube. Tubes without metrics of their own are summed in gauges of
// another name: the sum falls when a tube ends, and a falling counter would look like a restart.
//
// Clients may wait longer while a scrape is under way (measured with 100,000 tubes, a scrape in
// each half second, and another client that asks for one and never reads).
// On two cores that other programs used fully, the p99 of a put was 2.0 to 4.2 ms without
// scrapes and 3.6 to 4.0 ms with them. Before the census yielded after each part, it was 5.1 to 6.0 ms with them.
//
// A scrape of 100,000 tubes, 1,000 of them listed, with the aliases, takes 68 ms and 1.6 MB (go test -bench
// HundredThousand ./conn/admin, two cores).
//
// # Bounds
//
// Headers are bounded in size and time, bodies in size and time, and an answer must be
// taken within Options.WriteTimeout. A page that lasts longer (a profile, the console's
// events) sets deadlines of its own through http.ResponseController, and ends when the
// request's context does. So no client can hold a goroutine for long. No goroutine here runs an event loop, and
// only a scrape occupies a shard, for a moment.
//
// # Invariants
//
//	AD1  No goroutine outlives its connection, and no connection outlives Shutdown (package
//	     httpfront).
//	AD2  No handler outside of /healthz and /readyz runs for a client without a token, if
//	     there are tokens, or without the rights that its page needs, if there are rules.
//	AD3  Once Withdraw has returned without an error, no handler of the withdrawn pages runs, and none ever
//	     will.
package admin
