package main

import (
	"errors"
	"log/slog"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/node"
	"beanfield/storage/must"
)

// If a front end cannot be made, the others end and the log is closed: it can be opened again.
func TestFrontEndThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []func(*config.Config){
		func(c *config.Config) { c.Limits.MaxJobSize = -1 },
		func(c *config.Config) { c.Queue.DeadAfter = -1 },
		func(*config.Config) {},
	} {
		c := configOf(t, "-b "+dir+" -http 127.0.0.1:0 -queue 127.0.0.1:0", "")
		set(c)
		log := slog.New(slog.DiscardHandler)
		f := must.Get(newFronts(c, c.Keeper(log), log))
		r := must.Get(openRouter(t.Context(), c, node.Endless{}, nil, log))
		err := f.open(c, r, log)
		if broken := c.Limits.MaxJobSize < 0 || c.Queue.DeadAfter < 0; broken != (err != nil) {
			t.Errorf("broken: %v; open answers %v", broken, err)
		}
		if err == nil {
			if err := errors.Join(f.Shutdown(t.Context()), r.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}
