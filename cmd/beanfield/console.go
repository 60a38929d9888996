package main

import (
	"context"
	"path/filepath"
	"time"

	"beanfield/conn"
	"beanfield/conn/admin/console"
	"beanfield/conn/admin/history"
	"beanfield/shard/queue"
	"beanfield/storage/pebblestore"
)

// newConsole makes the console, when all other front ends have been made. The console reads the
// settings each time, because they may change.
func (s *service) newConsole() (*console.Console, error) {
	_, page := s.ofCluster()
	return console.New(console.Options{
		Cluster:    page,
		Router:     s.router,
		FrontEnds:  s.clients(),
		Latency:    s.beanstalk.Latency,
		History:    s.history.Book,
		LimitsFor:  func(tube string) *queue.Limits { return (*s.limits.Load())(tube) },
		MaxJobSize: func() int { return int(s.config.Load().Limits.MaxJobSize) },
		Exposes:    func(body []byte) bool { return s.book.Load().Exposes(body) },
		Tell:       s.tellDeed,
		Policies:   s.policies.conn(),
		Schedules:  s.schedules.Infos,
		Slow:       s.slow,
		Version:    version,
		Started:    time.Now(),
		May:        s.mayAct,
	})
}

// newHistory begins to keep what the console's charts show, in the data directory if there is one.
func (s *service) newHistory(c *Config) *history.Keeper {
	o := history.Options{Shards: s.router, Latency: s.beanstalk.Latency, Logger: s.log}
	if c.Storage.Backend == onDisk {
		o.Path = filepath.Join(c.Storage.Path, pebblestore.HistoryName)
	}
	return history.Start(o)
}

// clients returns, for each front end, who lists its clients.
func (s *service) clients() []console.FrontEnd {
	list := []console.FrontEnd{{Name: frontBeanstalk, Clients: s.beanstalk.Clients}}
	if s.queue != nil {
		list = append(list, console.FrontEnd{Name: frontQueue, Clients: func(_ context.Context, held map[any]int) ([]conn.Client, bool) {
			return s.queue.Clients(held), true
		}})
	}
	return append(list, console.FrontEnd{Name: frontAdmin, Clients: func(context.Context, map[any]int) ([]conn.Client, bool) {
		return s.admin.Clients(), true
	}})
}
