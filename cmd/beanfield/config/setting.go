package config

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

// row makes a setting of a field: how its value is read, and shown.
func row[T, V any](key, flag, unit, allowed string, field func(*T) *V, read func(v any) (V, error), show func(V) string) setting[T] {
	return setting[T]{
		key: key, flag: flag, unit: unit, allowed: allowed,
		set:  func(c *T, v any) (err error) { *field(c), err = read(v); return err },
		show: func(c *T) string { return show(*field(c)) },
		copy: func(to, from *T) { *field(to) = *field(from) },
	}
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
	number("limits.max_jobs", "", "jobs", maxItems, func(c *Config) *int { return &c.Limits.MaxJobs }).live(),
	size("limits.max_bytes", "", 0, maxBytes, func(c *Config) *int64 { return &c.Limits.MaxBytes }).live(),
	size("limits.max_memory", "", 0, maxBytes, func(c *Config) *int64 { return &c.Limits.MaxMemory }).live(),
	duration("limits.handshake_timeout", "", minHandshake, maxHandshake, func(c *Config) *time.Duration { return &c.Limits.Handshake }).live(),
	number("limits.handshakes", "", "handshakes", maxConnections, func(c *Config) *int { return &c.Limits.Handshakes }).live(),
	number("memory.garbage_percent", "", "percent of the live data", maxGarbagePercent, func(c *Config) *int { return &c.Memory.GarbagePercent }).live(),
	size("memory.garbage_room", "", minGarbageRoom, maxBytes, func(c *Config) *int64 { return &c.Memory.GarbageRoom }).live(),
	oneOf("storage.backend", "-b", []string{InMemory, OnDisk}, func(c *Config) *string { return &c.Storage.Backend }),
	text("storage.path", "-b", "directory", `an existing directory; "" with backend "memory" only`,
		func(c *Config) *string { return &c.Storage.Path }),
	oneOf("storage.sync", "-f, -F", []string{syncAlways, SyncInterval, SyncNever},
		func(c *Config) *string { return &c.Storage.Sync }),
	duration("storage.sync_interval", "-f", minSyncInterval, maxSyncInterval, func(c *Config) *time.Duration { return &c.Storage.SyncInterval }),
	size("storage.memory_budget", "", 0, maxBytes, func(c *Config) *int64 { return &c.Storage.MemoryBudget }),
	size("storage.min_free", "", 0, maxBytes, func(c *Config) *int64 { return &c.Storage.MinFree }),
	size("storage.cache", "", minCache, maxBytes, func(c *Config) *int64 { return &c.Storage.Cache }),
	size("storage.log_size", "", minLog, maxLog, func(c *Config) *int64 { return &c.Storage.Log }),
	text("storage.backup_path", "", "directory", `a directory, which is made if its parent exists; "" for one beside the data`,
		func(c *Config) *string { return &c.Storage.BackupPath }),
	row("stats.quote_strings", "", "word",
		fmt.Sprintf("%q, %q, %q; also true for %[2]q, and false for %[3]q", quoteNeeded, quoteAlways, quoteNever),
		func(c *Config) *string { return &c.Stats.QuoteStrings }, asQuoting, quote).live(),
	oneOf("log.level", "-V", levelWords(), func(c *Config) *string { return &c.Log.Level }).live(),
	oneOf("log.format", "", []string{"text", "json"}, func(c *Config) *string { return &c.Log.Format }),
	duration("log.slow", "", 0, maxSlow, func(c *Config) *time.Duration { return &c.Log.Slow }).live(),
}, auditSettings, queueSettings, httpSettings, metricsSettings, clusterSettings)

// listenSettings are the keys of each [[listen]].
var listenSettings = slices.Concat([]setting[Listen]{
	row("listen.address", "-l, -p", "address",
		`"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, `+
			`a port a number up to 65535 or the name of a service, a path at most `+strconv.Itoa(maxUnixPath)+` bytes`,
		func(l *Listen) *Address { return &l.Address }, asAddress, func(a Address) string { return quote(a.String()) }),
}, permissionSettings("listen.", func(l *Listen) *Permissions { return &l.Permissions }), []setting[Listen]{
	truth("listen.login", func(l *Listen) *bool { return &l.Login }),
	row("listen.refuse_http", "", "true or false", "true, false", func(l *Listen) *bool { return &l.HTTP }, // true by default, so Listen has its opposite
		func(v any) (bool, error) { b, err := asTruth(v); return err == nil && !b, err },
		func(http bool) string { return strconv.FormatBool(!http) }),
}, tlsSettings("listen.", func(l *Listen) *TLS { return &l.TLS }))

// number is a setting from 0 to hi.
func number[T any](key, flag, unit string, hi int, field func(*T) *int) setting[T] {
	return row(key, flag, unit, fmt.Sprintf("0 to %d", hi), field,
		func(v any) (int, error) { n, err := asNumber(v, 0, int64(hi)); return int(n), err }, strconv.Itoa)
}

// size is a setting in bytes.
func size[T any](key, flag string, lo, hi int64, field func(*T) *int64) setting[T] {
	return row(key, flag, "bytes", fmt.Sprintf(`%d to %d, or text with a unit: "64KiB", "1MiB", "1GiB"`, lo, hi), field,
		func(v any) (int64, error) { return asSize(v, lo, hi) }, showSize)
}

// text is a setting that may be any text; whether what it names exists is checked
// later.
func text[T any](key, flag, unit, allowed string, field func(*T) *string) setting[T] {
	return row(key, flag, unit, allowed, field, asText, quote)
}

// oneOf is a setting that is one of several words.
func oneOf[T any](key, flag string, words []string, field func(*T) *string) setting[T] {
	return row(key, flag, "word", `"`+strings.Join(words, `", "`)+`"`, field,
		func(v any) (string, error) { return asWord(v, words) }, quote)
}

// texts is a setting that is a list of texts.
func texts(key, unit, allowed string, field func(*Config) *[]string) setting[Config] {
	return row(key, "", unit, allowed, field, asTexts, showTexts)
}

// secrets is a setting that is a list of tokens. Neither -check-config nor a mistake shows
// them. What -check-config shows instead is no list: whoever copies it into a file gets a
// mistake, and not a server that lets everybody in.
func secrets(key string, field func(*Config) *[]string) setting[Config] {
	s := row(key, "", "texts", `a list of texts, none of them ""; [] to let everybody in`, field, asSecrets, func(list []string) string {
		if n := len(list); n > 0 {
			return quote(strconv.Itoa(n) + ", not shown")
		}
		return showTexts(nil)
	})
	s.secret, s.same = true, func(a, b *Config) bool { return slices.Equal(*field(a), *field(b)) }
	return s
}

// addresses is a setting that is a list of addresses to listen on; without any there is none of what they are for.
func addresses(key, flag, what string, field func(*Config) *[]Address) setting[Config] {
	return row(key, flag, "addresses", `a list of addresses as in listen.address; [] for `+what, field, asAddresses, showNames[Address])
}

// duration is a setting that is a time from lo to hi.
func duration[T any](key, flag string, lo, hi time.Duration, field func(*T) *time.Duration) setting[T] {
	return row(key, flag, "time", fmt.Sprintf(`text with a unit, from %s to %s`, showTime(lo), showTime(hi)), field,
		func(v any) (time.Duration, error) { return asTime(v, lo, hi) }, showTime)
}

// truth is a setting that is true or false.
func truth[T any](key string, field func(*T) *bool) setting[T] {
	return row(key, "", "true or false", "true, false", field, asTruth, strconv.FormatBool)
}

// auditSettings are the keys of [audit].
var auditSettings = []setting[Config]{
	text("audit.file", "", "file", `a file's path, "stderr", or "" for no audit log`, func(c *Config) *string { return &c.Audit.File }),
}

// showElement shows an element of an array of tables on one line.
func showElement[T any](rows []setting[T], prefix string, v *T) string {
	fields := make([]string, len(rows))
	for i, s := range rows {
		fields[i] = strings.TrimPrefix(s.key, prefix) + " = " + s.show(v)
	}
	return strings.Join(fields, ", ")
}
