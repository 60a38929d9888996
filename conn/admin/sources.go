package admin

import (
	"time"

	"beanfield/conn/admin/history"
	"beanfield/conn/secure"
	"beanfield/router"
	"beanfield/router/schedule"
	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// Sources are where the metrics come from. Their functions may be called from any
// goroutine, and do not wait unless they have a context.
type Sources struct {
	Shards Shards
	// Stats is the body of the reply of stats, with these sums and without quotes.
	Stats func(*queue.Sums) []byte
	// Ready says whether clients can work.
	Ready func() bool
	// Connections are how many there are, by front end.
	Connections func() map[string]int
	// Refusals are how many commands and requests were not carried out, by the answer.
	Refusals func() ByFrontEnd
	// Denied is how many of them rules about access have refused, by command.
	Denied func() ByFrontEnd
	// Slow is how many commands took longer than log.slow.
	Slow func() uint64
	// Reasons are why commands of the beanstalk protocol were refused, and how often.
	Reasons func() map[string]uint64
	Loops   func() []Loop
	// Schedules are those of the server; nil if it can have none.
	Schedules func() []schedule.Info
	// Latency is how long commands took, by command, in steps of tally.Time.
	Latency func() map[string]*tally.Reading
	// Handshakes are those over TLS.
	Handshakes func() secure.Counts
	// Certificates are those of the listeners with TLS, each front end and file once.
	Certificates func() []Certificate
	// Cluster is what this node knows of its cluster; nil with one machine.
	Cluster func() *Cluster
}

// Shards is what the metrics need of the router.
type Shards interface {
	history.Shards
	Quota() *router.Quota
}

// ByFrontEnd are counts by front end, and then by something else.
type ByFrontEnd map[string]map[string]uint64

// Certificate says when clients of a front end stop accepting a certificate.
type Certificate struct {
	FrontEnd, File string
	Ends           time.Time
}

// Loop is what an event loop has counted.
type Loop struct {
	Rounds, Events uint64
	Connections    int
}
