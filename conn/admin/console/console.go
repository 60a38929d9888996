package console

import (
	"embed"
	"io/fs"
	"net/http"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/admin/history"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/router/schedule"
	"beanfield/shard/queue/policy"
	"beanfield/storage/tally"
)

// Options are what a Console is made with.
type Options struct {
	// Router has the shards; nil at a node of a cluster that follows. Then May, Version, Started,
	// Cluster, Serving and Machine are enough.
	Router *router.Router
	// Cluster is what this node knows of its cluster, as it is shown in JSON; nil with one machine.
	Cluster func() any
	// Serving is who serves the cluster, as a node that follows knows it.
	Serving func() Serving
	// May says what a request may do.
	May func(*http.Request) Rights
	// Exposes says whether a body shows a token that a rule knows, and so must be no job.
	Exposes func(body []byte) bool
	// Tell notes what somebody has done, or was refused.
	Tell func(*http.Request, Event)
	// LimitsFor are the limits of the queue service for a tube.
	LimitsFor func(tube string) *policy.Limits
	// Policies are those of the tubes.
	Policies *conn.Policies
	// Schedules says how the schedules are getting on.
	Schedules func() []schedule.Info
	// MaxJobSize tells how large the body of a put may be, in bytes.
	MaxJobSize func() int
	// FrontEnds have the clients that are connected.
	FrontEnds []FrontEnd
	// Machine is how the process is doing.
	Machine func() (*Machine, error)
	// Latency is how long commands took, by command, in steps of tally.Time.
	Latency func() map[string]*tally.Reading
	// History has how the server was; nil if nobody keeps it.
	History func() *history.Charts
	// Slow has the commands that took long; it may be nil.
	Slow *slow.Log
	// Version is that of the server.
	Version string
	// Started is when the process began.
	Started time.Time
}

// Console serves the pages and their interface.
type Console struct {
	opts    Options
	router  *router.Router
	files   http.Handler
	census  census
	roster  roster
	machine kept[Machine]
}

// files are the pages.
//
//go:embed pages
var files embed.FS

// New makes a console.
func New(o Options) (*Console, error) {
	pages, err := fs.Sub(files, "pages")
	if err != nil {
		return nil, err
	}
	c := &Console{opts: o, router: o.Router, files: http.FileServerFS(pages)}
	c.census.router, c.roster.router, c.roster.fronts = o.Router, o.Router, o.FrontEnds
	c.census.young, c.census.life = censusAge, censusKept
	c.roster.young, c.roster.life = rosterAge, rosterKept
	c.machine.young, c.machine.life = machineAge, rosterKept
	return c, nil
}

// Rights are what somebody may do.
type Rights struct {
	Act bool // anything but to look
	// Subject has the rights on tubes; nil for all on every tube.
	Subject *access.Subject
}

// Event is an action, for the audit log.
type Event struct {
	What, Tube, To string
	ID             uint64
	Done           int    // jobs
	Changes        string // in words: of policies, or who was disconnected
	Refused        bool
}
