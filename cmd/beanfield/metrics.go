package main

import (
	"net"
	"os"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/access"
	"beanfield/conn/admin"
	"beanfield/shard/queue"
	"beanfield/storage/tally"
)

// metricsOptions are those of /metrics.
func (f *fronts) metricsOptions(c *config.Config) admin.MetricsOptions {
	o := admin.MetricsOptions{
		MaxTubes: c.Metrics.MaxTubes, Aliases: c.Metrics.Aliases, Instance: c.Metrics.Instance,
		Durable: c.Storage.Backend != config.InMemory,
	}
	if patterns := c.Metrics.Tubes; len(patterns) > 0 {
		o.Tubes = func(name string) bool { return access.MatchesAny(patterns, name) }
	}
	if o.Instance == "" {
		o.Instance = instance(f.listeners)
	}
	return o
}

// sources are those of /metrics at a node that has no jobs.
func (f *fronts) sources() admin.Sources {
	figures, _ := f.ofCluster()
	return admin.Sources{
		Cluster: figures,
		Shards:  noShards{}, Stats: func(*queue.Sums) []byte { return nil },
		Ready: func() bool { return len(f.health.problems()) == 0 },
		Connections: func() map[string]int {
			return f.passing.count(map[string]int{listeners.Admin: f.admin.Connections()})
		},
		Refusals:     func() admin.ByFrontEnd { return nil },
		Denied:       func() admin.ByFrontEnd { return nil },
		Slow:         f.slow.Count,
		Reasons:      f.slow.ByReason,
		Loops:        func() []admin.Loop { return nil },
		Latency:      func() map[string]*tally.Reading { return nil },
		Handshakes:   f.keeper.Counts,
		Certificates: func() []admin.Certificate { return expiries(f.config.Load()) },
	}
}

// newMetrics makes the handler of /metrics.
func (s *service) newMetrics(c *config.Config) (*admin.Metrics, error) {
	o := s.sources()
	o.Shards, o.Stats, o.Connections = s.router, s.beanstalk.Stats, s.connections
	o.Refusals = s.refusals
	o.Denied = func() admin.ByFrontEnd { return admin.ByFrontEnd{listeners.Beanstalk: s.beanstalk.Denied()} }
	o.Loops, o.Schedules, o.Latency = s.loops, s.schedules.Infos, s.beanstalk.Latency
	return admin.NewMetrics(o, s.metricsOptions(c))
}

// expiries are those of the certificates in use, each once for each front end.
func expiries(c *config.Config) (all []admin.Certificate) {
	seen := map[admin.Certificate]bool{}
	add := func(front string, t *config.TLS) {
		if t.Certs == nil {
			return
		}
		file, ends := t.Certs.Expiry()
		if series := (admin.Certificate{FrontEnd: front, File: file}); !seen[series] {
			seen[series] = true
			all = append(all, admin.Certificate{FrontEnd: front, File: file, Ends: ends})
		}
	}
	for i := range c.Listen {
		add(listeners.Beanstalk, &c.Listen[i].TLS)
	}
	add(listeners.Queue, &c.Queue.TLS)
	add(listeners.Admin, &c.HTTP.TLS)
	return all
}

// instance is what a beanstalkd_exporter on this machine would call the server.
func instance(ls []net.Listener) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	for _, l := range ls {
		if listeners.FrontOf(l) == listeners.Beanstalk && l.Addr().Network() == "tcp" {
			return admin.InstanceOf(l.Addr().String(), host)
		}
	}
	return host
}

func (s *service) connections() map[string]int {
	n := map[string]int{listeners.Beanstalk: s.beanstalk.Connections(), listeners.Admin: s.admin.Connections()}
	if s.queue != nil {
		n[listeners.Queue], _ = s.queue.Open()
	}
	return s.passing.count(n)
}

func (s *service) refusals() admin.ByFrontEnd {
	all := admin.ByFrontEnd{listeners.Beanstalk: s.beanstalk.Refusals()}
	if s.queue != nil {
		all[listeners.Queue] = s.queue.Refusals()
	}
	return all
}

func (s *service) loops() (list []admin.Loop) {
	for _, l := range s.beanstalk.Loops() {
		list = append(list, admin.Loop(l))
	}
	return list
}
