// Package console is the console: pages on which people check and manage the queue in a
// browser, and the JSON interface that these pages use. All of it is in the program (pages);
// there is no build step, and nothing is loaded from other sites.
//
// # The interface
//
// What only reads is a GET, and what changes something is a POST. All are below /api/v1:
//
//	GET  overview           totals, rates, the busiest tubes, shards
//	GET  tubes              a page of the tubes: filter, sort, desc, from, n
//	GET  tube               one tube: name
//	GET  jobs               jobs of a tube or of all: tube, filter, state, from, n, find
//	GET  job                one job with its body: id
//	GET  connections        a page of the clients: filter, sort, desc, from, n
//	GET  policies           those of all tubes, in the order in which they are asked
//	GET  schedules          how the schedules are getting on
//	GET  slow               the commands that took long, the latest first
//	GET  refused            the commands that were refused, and why, the latest first
//	GET  latency            histograms of how long commands and commits took
//	GET  history            how it was: span (hour, day), tube
//	GET  server             memory, processor, descriptors, disk, listeners, certificates
//	GET  cluster            what this node knows of its cluster
//	GET  rights             what the client may do with each tube that it names
//	POST put, kick, pause   to a tube
//	POST delete, bury, release, kick-job, move-job   to one job
//	POST purge, move        to all jobs of a tube in given states
//	POST drain              to the server
//	POST disconnect         one client: id
//	POST set-policies       replaces all policies and schedules of run time: text, version
//
// A kick of all or a move does a part of the work and answers how many jobs are left.
// The page asks again until none is left, or its user stops it. So no goroutine works for a
// page that has been closed.
//
// A node of a cluster that follows has no jobs. Its console answers overview, server and cluster, and
// shows no other pages. Each says who serves, and leads to the console of that node. Where the consoles of others
// are, they say themselves: package cluster lets only URLs of http and https pass, without all but the host.
//
// # What a page costs
//
// What is shown comes from looks (package shard), which do not wait for the log and are
// bounded, or from operations that any client could send. All pages share one census of the
// tubes. It is made when a page asks for it and the last one is older than censusAge.
// Likewise all share one list of the clients (roster). A front end makes it in parts, so that
// none of its clients waits for it, however many there are. The shards tell who holds jobs.
// Filtering, sorting and paging are done here, so the size of an answer is bounded, whatever
// the number of tubes.
//
// # Other sites' pages
//
// A browser sends its password even with requests that another site's page makes. So a GET
// changes nothing, and a POST must be of type application/json. Package httpfront refuses what
// comes from another origin, as far as the browser says. The content security policy allows
// neither scripts in pages nor frames around them. Pages show names and bodies as text: they
// never make HTML of a string.
//
// # Permissions
//
// Options.May says what a request may do. If a client may only read, every POST is refused,
// and the pages do not show it the buttons. With rules (package access), a client sees the
// figures and the history of the tubes on which it has stats, and the jobs of those on which
// it has peek. Others are not listed, counted, searched or fetched: for the client they do not
// exist. The figures of the shards, the latency and the history of the whole need stats on
// every tube. All policies need stats on every tube, as the command policies does; a tube's
// own is shown to those who have stats on it. The list of connections, disconnect, drain and set-policies
// need admin on every tube. One table says what the other actions need (needs). Answers say what a client may do, so
// that the pages show nothing that would be refused, and say what is missing.
//
// Slow commands are shown to those who have stats on their tube; those that are about no tube to
// those who have it on every tube. Where they came from is shown to those with admin on every
// tube.
//
// Options.Tell is told of every action, for the audit log.
//
// # Moving jobs
//
// A move is the router's (Session.Alter): jobs keep their ids, and are in one of the two tubes whatever happens.
// A server that drains moves jobs, because there is no new one.
package console
