package main

import (
	"net"
	"os"
	"slices"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/access"
	"beanfield/conn/admin"
)

// metricsOptions are those of /metrics.
func (f *fronts) metricsOptions(c *config.Config) admin.MetricsOptions {
	o := admin.MetricsOptions{
		MaxTubes: c.Metrics.MaxTubes, Aliases: c.Metrics.Aliases, Instance: c.Metrics.Instance,
		Durable: c.Storage.Backend != config.InMemory,
	}
	if patterns := c.Metrics.Tubes; len(patterns) > 0 {
		o.Tubes = func(name string) bool {
			return slices.ContainsFunc(patterns, func(p string) bool { return access.Match(p, name) })
		}
	}
	if o.Instance == "" {
		o.Instance = instance(f.listeners)
	}
	return o
}

// newMetrics makes the handler of /metrics.
func (s *service) newMetrics(c *config.Config) (*admin.Metrics, error) {
	figures, _ := s.ofCluster()
	return admin.NewMetrics(admin.Sources{
		Cluster:      figures,
		Shards:       s.router,
		Stats:        s.beanstalk.Stats,
		Ready:        func() bool { return len(s.health.problems()) == 0 },
		Connections:  s.connections,
		Refusals:     s.refusals,
		Denied:       func() admin.ByFrontEnd { return admin.ByFrontEnd{listeners.Beanstalk: s.beanstalk.Denied()} },
		Slow:         s.slow.Count,
		Reasons:      s.slow.ByReason,
		Loops:        s.loops,
		Schedules:    s.schedules.Infos,
		Latency:      s.beanstalk.Latency,
		Handshakes:   s.keeper.Counts,
		Certificates: func() []admin.Certificate { return expiries(s.config.Load()) },
	}, s.metricsOptions(c))
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
