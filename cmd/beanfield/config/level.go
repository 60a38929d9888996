package config

import (
	"fmt"
	"log/slog"
)

// LevelNotice is between info and warning: what an operator should read although
// nothing is wrong, such as a backup that is complete. It is the default.
const LevelNotice = slog.LevelInfo + 2

// levels are the words of log.level, from the one that says most.
var levels = []struct {
	word  string
	level slog.Level
}{
	{"debug", slog.LevelDebug},
	{"info", slog.LevelInfo},
	{"notice", LevelNotice},
	{"warn", slog.LevelWarn},
	{"error", slog.LevelError},
}

func LevelOf(word string) slog.Level {
	for _, l := range levels {
		if l.word == word {
			return l.level
		}
	}
	panic(fmt.Sprintf("log level %q passed the check", word))
}
