package main

import (
	"net/http"
	"time"

	"beanfield/conn/admin/console"
	"beanfield/router"
)

// newConsole makes the console.
func newConsole(c *Config, r *router.Router) (*console.Console, error) {
	return console.New(console.Options{
		Router:     r,
		LimitsFor:  c.Queue.limitsFor(),
		MaxJobSize: int(c.Limits.MaxJobSize),
		Version:    version,
		Started:    time.Now(),
		May:        func(*http.Request) console.Rights { return console.Rights{Act: !c.HTTP.ReadOnly} },
	})
}
