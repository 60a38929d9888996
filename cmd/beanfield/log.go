package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// levelNotice is between info and warning: what an operator should read although
// nothing is wrong, such as a backup that is complete. It is the default.
const levelNotice = slog.LevelInfo + 2

// levels are the words of log.level, from the one that says most.
var levels = []struct {
	word  string
	level slog.Level
}{
	{"debug", slog.LevelDebug},
	{"info", slog.LevelInfo},
	{"notice", levelNotice},
	{"warn", slog.LevelWarn},
	{"error", slog.LevelError},
}

// levelWords are the words alone, for the table of settings.
func levelWords() (words []string) {
	for _, l := range levels {
		words = append(words, l.word)
	}
	return words
}

// newLogger writes to w what the configuration asks for. Its words were checked
// when they were read. level can be changed later.
func newLogger(w io.Writer, c *Config, level *slog.LevelVar) *slog.Logger {
	level.Set(levelOf(c.Log.Level))
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: nameNotice}
	if c.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

func levelOf(word string) slog.Level {
	for _, l := range levels {
		if l.word == word {
			return l.level
		}
	}
	panic(fmt.Sprintf("log level %q passed the check", word))
}

// nameNotice gives the level a name, which slog would write as INFO+2.
func nameNotice(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey && a.Value.Any() == levelNotice {
		return slog.String(slog.LevelKey, "NOTICE")
	}
	return a
}

// notice logs a line that an operator should read although nothing is wrong.
func notice(log *slog.Logger, message string, values ...any) {
	log.Log(context.Background(), levelNotice, message, values...)
}
