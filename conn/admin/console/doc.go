// Package console is the console: pages for people who look after the queue in a browser,
// and the JSON interface that these pages use. Everything is in the binary (pages); there
// is no build step, and nothing comes from elsewhere.
//
// # The interface
//
// All that reads is a GET, all that acts is a POST, both below /api/v1:
//
//	GET  overview           totals, rates, the busiest tubes, shards
//	GET  tubes              a page of the tubes: filter, sort, desc, from, n
//	GET  tube               one tube: name
//	GET  jobs               jobs of a tube: tube, state, from, n, find
//	GET  job                one job with its body: id
//	POST put, kick, pause   to a tube
//	POST delete, bury, release, kick-job   to one job
//	POST purge, move        to all jobs of a tube in given states
//	POST drain              to the server
//
// A purge or a move of many jobs does a part of it and says how many are left to do; the
// page asks again until nothing is left or its user has had enough. So no goroutine works
// for a page that has been closed.
//
// # What a page costs
//
// What is shown comes from looks (package shard), which do not wait for the log and are
// bounded, or from operations that any client could send. All pages share one census of
// the tubes, which is made when somebody asks and the last one is older than censusAge;
// filtering, sorting and paging are done here, so an answer has a bounded size, whatever
// the number of tubes.
//
// # Other sites' pages
//
// A browser sends its password along with a request that another site's page has made. So
// nothing acts upon a GET, and a POST must be of type application/json and come from this
// origin, as far as the browser tells (Sec-Fetch-Site, Origin). The content security
// policy allows neither scripts in pages nor frames around them. Pages show names and
// bodies as text: they never make HTML of a string.
//
// # Permissions
//
// Options.May says what a request may do. A request that may only read is refused every
// POST, and the page does not show it the buttons.
//
// # Moving jobs
//
// A move reserves a job, puts a copy into the other tube and deletes the job. If the
// server ends between the last two steps, there are both: a job may come twice, and is
// never lost. A worker that would get it meanwhile gets another one.
package console
