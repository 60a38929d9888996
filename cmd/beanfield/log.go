package main

import (
	"fmt"
	"io"
	"log/slog"
)

// newLogger writes to w what the configuration wants to hear. The words were
// checked when they were read.
func newLogger(w io.Writer, c *Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		panic(fmt.Sprintf("log level %q passed the check: %v", c.Log.Level, err))
	}
	o := &slog.HandlerOptions{Level: level}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
