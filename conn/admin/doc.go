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
