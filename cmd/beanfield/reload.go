package main

import (
	"log/slog"
	"strings"

	"beanfield/cmd/beanfield/config"
)

// reloader reads the configuration again at SIGHUP. It belongs to the goroutine that serves.
type reloader struct {
	flags   config.Flags // they win over the file, as at the start
	running *config.Config
	change  func(*config.Config) (apply func(), err error) // makes ready what apply puts into effect
	log     *slog.Logger
}

// reloader makes the reloader of a daemon whose front ends change as change says.
func (d *daemon) reloader(change func(*config.Config) (func(), error)) reloader {
	return reloader{flags: d.flags, running: d.config, log: d.log, change: func(c *config.Config) (func(), error) {
		apply, err := change(c)
		return func() {
			d.level.Set(config.LevelOf(c.Log.Level))
			d.garbage.replace(garbageOf(c))
			apply()
		}, err
	}}
}

// reload changes all settings that can change, or none if anything is wrong.
func (r *reloader) reload() {
	merged, changes, err := r.running.Reload(r.flags)
	if err != nil {
		r.refuse(err)
		return
	}
	apply, err := r.change(merged)
	if err != nil {
		r.refuse(err)
		return
	}
	apply()
	r.running = merged
	r.tell(changes)
}

// refuse logs each mistake.
func (r *reloader) refuse(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		r.log.Error("the configuration is wrong, and stays as it was", "error", line)
	}
}

// tell logs what is different now, and what is only in the file.
func (r *reloader) tell(changes []config.Change) {
	for _, w := range r.running.Doubts() {
		r.log.Warn(w)
	}
	waiting := 0
	for _, c := range changes {
		if c.Reloads {
			notice(r.log, c.String(), "from", c.From)
			continue
		}
		waiting++
		r.log.Warn(c.String(), "from", c.From)
	}
	notice(r.log, "the configuration has been read again", "changed", len(changes)-waiting, "need-a-restart", waiting)
}
