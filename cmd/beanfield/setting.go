package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setting is one row of the table below: everything about one key of the file. The
// reader of the file, -check-config and the test of the example configuration use
// this table; a key exists if it has a row.
type setting[T any] struct {
	key     string // with its table, as "limits.max_job_size"
	flag    string // that overrides it, or ""
	unit    string
	allowed string
	secret  bool // its values are never shown
	set     func(c *T, v any) error
	show    func(c *T) string // as TOML
	copy    func(to, from *T)
	// reloads says whether the setting can change from now to next without a restart; nil
	// if it never can.
	reloads func(now, next *T) bool
	same    func(a, b *T) bool // nil if show tells
}

// live is the same setting, if it changes at a reload.
func (s setting[T]) live() setting[T] {
	s.reloads = func(_, _ *T) bool { return true }
	return s
}

// allLive makes live settings of all rows.
func allLive[T any](rows []setting[T]) []setting[T] {
	for i := range rows {
		rows[i] = rows[i].live()
	}
	return rows
}

// equal says whether a and b have the same value.
func (s *setting[T]) equal(a, b *T) bool {
	if s.same != nil {
		return s.same(a, b)
	}
	return s.show(a) == s.show(b)
}

// copies copies a field.
func copies[T, V any](field func(*T) *V) func(to, from *T) {
	return func(to, from *T) { *field(to) = *field(from) }
}

// settings are all keys but those of [[listen]], [[queue.for]] and [[access]], in the order of
// printing.
var settings = slices.Concat([]setting[Config]{
	number("shards", "-shards", "shards", maxShards, func(c *Config) *int { return &c.Shards }),
	number("loops", "", "event loops", maxLoops, func(c *Config) *int { return &c.Loops }),
	text("user", "-u", "name of a user", `a user of this machine, or "" to stay who started it`,
		func(c *Config) *string { return &c.User }),
	size("limits.max_job_size", "-z", 0, maxJobSizeLimit, func(c *Config) *int64 { return &c.Limits.MaxJobSize }).live(),
	number("limits.max_connections", "", "connections", maxConnections, func(c *Config) *int { return &c.Limits.MaxConnections }).live(),
	duration("limits.handshake_timeout", minHandshake, maxHandshake, func(c *Config) *time.Duration { return &c.Limits.Handshake }).live(),
	number("limits.handshakes", "", "handshakes", maxConnections, func(c *Config) *int { return &c.Limits.Handshakes }).live(),
	number("memory.garbage_percent", "", "percent of the live data", maxGarbagePercent, func(c *Config) *int { return &c.Memory.GarbagePercent }).live(),
	size("memory.garbage_room", "", minGarbageRoom, maxBytes, func(c *Config) *int64 { return &c.Memory.GarbageRoom }).live(),
	oneOf("storage.backend", "-b", []string{inMemory, onDisk}, func(c *Config) *string { return &c.Storage.Backend }),
	text("storage.path", "-b", "directory", `an existing directory; "" with backend "memory" only`,
		func(c *Config) *string { return &c.Storage.Path }),
	oneOf("storage.sync", "-f, -F", []string{syncAlways, syncInterval, syncNever},
		func(c *Config) *string { return &c.Storage.Sync }),
	{
		key: "storage.sync_interval", flag: "-f", unit: "time",
		allowed: fmt.Sprintf(`text with a unit, from %s to %s`, showTime(minSyncInterval), showTime(maxSyncInterval)),
		set: func(c *Config, v any) (err error) {
			c.Storage.SyncInterval, err = asTime(v, minSyncInterval, maxSyncInterval)
			return err
		},
		show: func(c *Config) string { return showTime(c.Storage.SyncInterval) },
		copy: copies(func(c *Config) *time.Duration { return &c.Storage.SyncInterval }),
	},
	size("storage.memory_budget", "", 0, maxBytes, func(c *Config) *int64 { return &c.Storage.MemoryBudget }),
	size("storage.min_free", "", 0, maxBytes, func(c *Config) *int64 { return &c.Storage.MinFree }),
	size("storage.cache", "", minCache, maxBytes, func(c *Config) *int64 { return &c.Storage.Cache }),
	size("storage.log_size", "", minLog, maxLog, func(c *Config) *int64 { return &c.Storage.Log }),
	text("storage.backup_path", "", "directory", `a directory, which is made if its parent exists; "" for one beside the data`,
		func(c *Config) *string { return &c.Storage.BackupPath }),
	setting[Config]{
		key: "stats.quote_strings", unit: "word",
		allowed: fmt.Sprintf("%q, %q, %q; also true for %[2]q, and false for %[3]q", quoteNeeded, quoteAlways, quoteNever),
		set:     func(c *Config, v any) (err error) { c.Stats.QuoteStrings, err = asQuoting(v); return err },
		show:    func(c *Config) string { return quote(c.Stats.QuoteStrings) },
		copy:    copies(func(c *Config) *string { return &c.Stats.QuoteStrings }),
	}.live(),
	oneOf("log.level", "-V", levelWords(), func(c *Config) *string { return &c.Log.Level }).live(),
	oneOf("log.format", "", []string{"text", "json"}, func(c *Config) *string { return &c.Log.Format }),
	duration("log.slow", 0, maxSlow, func(c *Config) *time.Duration { return &c.Log.Slow }).live(),
}, auditSettings, queueSettings, httpSettings, metricsSettings)

// listenSettings are the keys of each [[listen]].
var listenSettings = slices.Concat([]setting[Listen]{
	{
		key: "listen.address", flag: "-l, -p", unit: "address",
		allowed: `"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, ` +
			`a port a number up to 65535 or the name of a service, a path at most ` + strconv.Itoa(maxUnixPath) + ` bytes`,
		set: func(l *Listen, v any) error {
			s, err := asText(v)
			if err == nil {
				l.Address, err = parseAddress(s)
			}
			return err
		},
		show: func(l *Listen) string { return quote(l.Address.String()) },
		copy: copies(func(l *Listen) *address { return &l.Address }),
	},
}, permissionSettings("listen.", func(l *Listen) *Permissions { return &l.Permissions }), []setting[Listen]{
	truth("listen.login", func(l *Listen) *bool { return &l.Login }),
	refuseHTTP,
}, tlsSettings("listen.", func(l *Listen) *TLS { return &l.TLS }))

// refuseHTTP is true by default, so Listen has its opposite.
var refuseHTTP = func() setting[Listen] {
	s := truth("listen.refuse_http", func(l *Listen) *bool { return &l.HTTP })
	set, show := s.set, s.show
	s.set = func(l *Listen, v any) error {
		err := set(l, v)
		l.HTTP = err == nil && !l.HTTP
		return err
	}
	s.show = func(l *Listen) string {
		opposite := Listen{HTTP: !l.HTTP}
		return show(&opposite)
	}
	return s
}()

// number is a setting from 0 to hi.
func number[T any](key, flag, unit string, hi int, field func(*T) *int) setting[T] {
	return setting[T]{
		key: key, flag: flag, unit: unit, allowed: fmt.Sprintf("0 to %d", hi),
		set: func(c *T, v any) error {
			n, err := asNumber(v, 0, int64(hi))
			*field(c) = int(n)
			return err
		},
		show: func(c *T) string { return strconv.Itoa(*field(c)) },
		copy: copies(field),
	}
}

// size is a setting in bytes.
func size[T any](key, flag string, lo, hi int64, field func(*T) *int64) setting[T] {
	return setting[T]{
		key: key, flag: flag, unit: "bytes",
		allowed: fmt.Sprintf(`%d to %d, or text with a unit: "64KiB", "1MiB", "1GiB"`, lo, hi),
		set:     func(c *T, v any) (err error) { *field(c), err = asSize(v, lo, hi); return err },
		show:    func(c *T) string { return showSize(*field(c)) },
		copy:    copies(field),
	}
}

// text is a setting that may be any text; whether what it names exists is checked
// later.
func text[T any](key, flag, unit, allowed string, field func(*T) *string) setting[T] {
	return setting[T]{
		key: key, flag: flag, unit: unit, allowed: allowed,
		set:  func(c *T, v any) (err error) { *field(c), err = asText(v); return err },
		show: func(c *T) string { return quote(*field(c)) },
		copy: copies(field),
	}
}

// oneOf is a setting that is one of several words.
func oneOf[T any](key, flag string, words []string, field func(*T) *string) setting[T] {
	return setting[T]{
		key: key, flag: flag, unit: "word", allowed: `"` + strings.Join(words, `", "`) + `"`,
		set:  func(c *T, v any) (err error) { *field(c), err = asWord(v, words); return err },
		show: func(c *T) string { return quote(*field(c)) },
		copy: copies(field),
	}
}

// texts is a setting that is a list of texts.
func texts(key, unit, allowed string, field func(*Config) *[]string) setting[Config] {
	return setting[Config]{
		key: key, unit: unit, allowed: allowed,
		set:  func(c *Config, v any) (err error) { *field(c), err = asTexts(v); return err },
		show: func(c *Config) string { return showTexts(*field(c)) },
		copy: copies(field),
	}
}

// duration is a setting that is a time from lo to hi.
func duration[T any](key string, lo, hi time.Duration, field func(*T) *time.Duration) setting[T] {
	return setting[T]{
		key: key, unit: "time", allowed: fmt.Sprintf(`text with a unit, from %s to %s`, showTime(lo), showTime(hi)),
		set:  func(c *T, v any) (err error) { *field(c), err = asTime(v, lo, hi); return err },
		show: func(c *T) string { return showTime(*field(c)) },
		copy: copies(field),
	}
}

// truth is a setting that is true or false.
func truth[T any](key string, field func(*T) *bool) setting[T] {
	return setting[T]{
		key: key, unit: "true or false", allowed: "true, false",
		set: func(c *T, v any) error {
			b, ok := v.(bool)
			if !ok {
				return wrongKind(v)
			}
			*field(c) = b
			return nil
		},
		show: func(c *T) string { return strconv.FormatBool(*field(c)) },
		copy: copies(field),
	}
}

// auditSettings are the keys of [audit].
var auditSettings = []setting[Config]{
	text("audit.file", "", "file", `a file's path, "stderr", or "" for no audit log`, func(c *Config) *string { return &c.Audit.File }),
}
