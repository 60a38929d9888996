// Package admin is the face for administrators and their monitoring: health, metrics, the
// console and profiles, over HTTP.
//
// # Pages
//
//	/healthz       200 as long as the process answers
//	/readyz        200 if clients can work; otherwise 503, with a reason on each line
//	/metrics       figures for Prometheus
//	/debug/pprof/  Go's profiles, only if Options.Profiles allows it
//	/              the console, and all that it has below
//
// The first two need no token, so that a load balancer or a supervisor can ask. For all
// others, if Options has tokens, the client sends one of them: as "Authorization: Bearer
// TOKEN", or in the way in which browsers send a password, with any name. This server
// answers the pages above for GET and HEAD only. What is asked of the console goes to the
// console, whatever the method; it must refuse what another site's page sends.
//
// # The start
//
// The server answers before the jobs are recovered: a recovery may take minutes, and
// whoever watches the process should learn that it lives and is not ready yet. Until Open
// hands over metrics and console, their pages answer 503.
//
// # Metrics
//
// Nobody on the way of a job counts for the metrics under a lock, with a label or by
// allocating. Shards count in plain fields, and a scrape asks each for a look (package
// shard); event loops publish theirs every 16 rounds; logs count once for each group of
// turns. What needs a clock is a sample: one turn of a shard in 13, one run of commands of
// a loop in 61. So beanfield_command_seconds is the time from when a command is handed to
// its shard until it is answered, of the sampled ones: it counts the wait for the shard and
// for the log, and not the wait in the socket or that of a reserve for a job. Its _count is
// not the number of commands; beanfield_cmd_*_total are.
//
// A scrape asks the shards for 128 tubes at a time and keeps the busiest of them. It words
// them in small pieces and lets others have the processor in between. A shard that does not
// answer within 5 s has beanfield_shard_up 0; sums over all shards are then left out, because
// a sum without one of them would look as if its jobs were gone. Two scrapes may go on at
// once; more are answered 503.
//
// The metrics of one tube are those of the keys of stats-tube. Tubes that are not told one
// by one are summed up in gauges, not in a tube of no name: such a sum falls when a tube ends,
// and a counter that falls would look like a restart.
//
// Measured with 100,000 tubes, of which 1,000 are told, and the aliases (go test -bench
// HundredThousand ./conn/admin, two cores): 68 ms, 1.6 MB.
//
// # Bounds
//
// Headers are bounded in size and time, bodies in size and time, and an answer must be
// taken within Options.WriteTimeout. A page that lasts longer (a profile, the console's
// events) sets deadlines of its own through http.ResponseController, and ends when the
// request's context does. So no client, whatever it does or fails to do, can hold a
// goroutine for long, and no goroutine here is ever one that runs a loop or owns a shard.
//
// # Invariants
//
//	H1  When a socket has been closed, whoever closed it, the acceptor is told once that
//	    it has left.
//	H2  No goroutine outlives its connection, and no connection outlives Shutdown.
//	H3  No handler outside of /healthz and /readyz runs for a client without a token, if
//	    there are tokens.
package admin
