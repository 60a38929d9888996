package main

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"beanfield/conn"
	"beanfield/conn/admin"
	"beanfield/conn/admin/console"
	"beanfield/conn/admin/history"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage/pebblestore"
)

// newConsole makes the console, when all other front ends have been made. The console reads the
// settings each time, because they may change.
func (f *fronts) newConsole(r *router.Router) (*console.Console, error) {
	return console.New(console.Options{
		Router:     r,
		FrontEnds:  f.clients(),
		Latency:    f.beanstalk.Latency,
		History:    f.history.Book,
		LimitsFor:  func(tube string) *queue.Limits { return (*f.limits.Load())(tube) },
		MaxJobSize: func() int { return int(f.config.Load().Limits.MaxJobSize) },
		Exposes:    func(body []byte) bool { return f.book.Load().Exposes(body) },
		Tell:       f.tellDeed,
		Slow:       f.slow,
		Version:    version,
		Started:    time.Now(),
		May: func(r *http.Request) console.Rights {
			return console.Rights{Act: !f.config.Load().HTTP.ReadOnly, Subject: admin.ClientOf(r).Subject}
		},
	})
}

// newHistory begins to keep what the console's charts show, in the data directory if there is one.
func (f *fronts) newHistory(c *Config, r *router.Router) *history.Keeper {
	o := history.Options{Shards: r, Latency: f.beanstalk.Latency, Logger: f.log}
	if c.Storage.Backend == onDisk {
		o.Path = filepath.Join(c.Storage.Path, pebblestore.HistoryName)
	}
	return history.Start(o)
}

// clients returns, for each front end, who lists its clients.
func (f *fronts) clients() []console.FrontEnd {
	list := []console.FrontEnd{{Name: frontBeanstalk, Clients: f.beanstalk.Clients}}
	if f.queue != nil {
		list = append(list, console.FrontEnd{Name: frontQueue, Clients: func(_ context.Context, held map[any]int) ([]conn.Client, bool) {
			return f.queue.Clients(held), true
		}})
	}
	return append(list, console.FrontEnd{Name: frontAdmin, Clients: func(context.Context, map[any]int) ([]conn.Client, bool) {
		return f.admin.Clients(), true
	}})
}
