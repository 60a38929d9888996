package main

import (
	"context"
	"io"
	"log/slog"

	"beanfield/cmd/beanfield/config"
)

// newLogger writes to w what the configuration asks for. Its words were checked
// when they were read. level can be changed later.
func newLogger(w io.Writer, c *config.Config, level *slog.LevelVar) *slog.Logger {
	level.Set(config.LevelOf(c.Log.Level))
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: nameNotice}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// nameNotice gives the level a name, which slog would write as INFO+2.
func nameNotice(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey && a.Value.Any() == config.LevelNotice {
		return slog.String(slog.LevelKey, "NOTICE")
	}
	return a
}

// notice logs a line that an operator should read although nothing is wrong.
func notice(log *slog.Logger, message string, values ...any) {
	log.Log(context.Background(), config.LevelNotice, message, values...)
}
