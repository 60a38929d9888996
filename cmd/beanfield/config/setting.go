package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
)

// setting is one row of a table: everything about one key of the file, for the value that it sets. The reader of
// the file, check-config, reloads and the test of the example configuration use these rows; a key exists if
// it has one. kind.go has how rows are made.
type setting struct {
	key     string // with its table, as "limits.max_job_size"
	flag    string // that overrides it, or ""
	unit    string
	allowed string
	secret  bool // its values are never shown
	live    bool // a reload can change it
	tls     *TLS // if not nil, a reload can change it only where there is TLS before and after, or neither
	field   any  // points to what it sets
	set     func(v any) error
	show    func() string // as TOML
}

// by is the same setting, which a flag overrides.
func (s setting) by(flag string) setting {
	s.flag = flag
	return s
}

// live are settings that change at a reload.
func live(rows ...setting) []setting {
	for i := range rows {
		rows[i].live = true
	}
	return rows
}

// equal says whether the same setting has the same value elsewhere.
func (s *setting) equal(other *setting) bool { return reflect.DeepEqual(s.field, other.field) }

// take takes the value that the same setting has elsewhere.
func (s *setting) take(other *setting) {
	reflect.ValueOf(s.field).Elem().Set(reflect.ValueOf(other.field).Elem())
}

// reloads says whether a reload can make the value that of next.
func (s *setting) reloads(next *setting) bool {
	return s.live && (s.tls == nil || s.tls.Asked() == next.tls.Asked())
}

// rows are all settings but those of arrays of tables, in the order of printing.
func (c *Config) rows() []setting {
	l, m, s := &c.Limits, &c.Memory, &c.Storage
	return slices.Concat([]setting{
		number("shards", &c.Shards, "shards", maxShards).by("-shards"),
		number("loops", &c.Loops, "event loops", maxLoops),
		text("user", &c.User, "name of a user", `a user of this machine, or "" to stay who started it`).by("-u"),
	}, live(
		size("limits.max_job_size", &l.MaxJobSize, 0, maxJobSizeLimit).by("-z"),
		number("limits.max_connections", &l.MaxConnections, "connections", maxConnections),
		number("limits.max_jobs", &l.MaxJobs, "jobs", maxItems),
		size("limits.max_bytes", &l.MaxBytes, 0, maxBytes),
		size("limits.max_memory", &l.MaxMemory, 0, maxBytes),
		span("limits.handshake_timeout", &l.Handshake, minHandshake, maxHandshake),
		number("limits.handshakes", &l.Handshakes, "handshakes", maxConnections),
		number("memory.garbage_percent", &m.GarbagePercent, "percent of the live data", maxGarbagePercent),
		size("memory.garbage_room", &m.GarbageRoom, minGarbageRoom, maxBytes),
	), []setting{
		oneOf("storage.backend", &s.Backend, InMemory, OnDisk).by("-b"),
		text("storage.path", &s.Path, "directory", `an existing directory; "" with backend "memory" only`).by("-b"),
		oneOf("storage.sync", &s.Sync, syncAlways, SyncInterval, SyncNever).by("-f, -F"),
		span("storage.sync_interval", &s.SyncInterval, minSyncInterval, maxSyncInterval).by("-f"),
		size("storage.memory_budget", &s.MemoryBudget, 0, maxBytes),
		size("storage.min_free", &s.MinFree, 0, maxBytes),
		size("storage.cache", &s.Cache, minCache, maxBytes),
		size("storage.log_size", &s.Log, minLog, maxLog),
		text("storage.backup_path", &s.BackupPath, "directory",
			`a directory, which is made if its parent exists; "" for one beside the data`),
	}, live(
		quoting(&c.Stats.Quoting),
		oneOf("log.level", &c.Log.Level, levelWords()...).by("-V"),
	), []setting{
		oneOf("log.format", &c.Log.Format, "text", "json"),
	}, live(
		span("log.slow", &c.Log.Slow, 0, maxSlow),
	), []setting{
		text("audit.file", &c.Audit.File, "file", `a file's path, "stderr", or "" for no audit log`),
	}, c.Queue.rows(), c.HTTP.rows(), c.Metrics.rows(), c.Cluster.rows())
}

// rows are the keys of each [[listen]].
func (l *Listen) rows() []setting {
	const allowed = `"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, ` +
		`a port a number up to 65535 or the name of a service, a path at most %d bytes`
	return slices.Concat([]setting{
		row("listen.address", &l.Address, "address", fmt.Sprintf(allowed, maxUnixPath), asAddress, showName),
	}, l.Permissions.rows("listen."), []setting{
		truth("listen.login", &l.Login),
		// true by default, so Listen has its opposite
		row("listen.refuse_http", &l.HTTP, "true or false", "true, false",
			func(v any) (bool, error) { b, err := asTruth(v); return err == nil && !b, err },
			func(http bool) string { return strconv.FormatBool(!http) }),
	}, l.TLS.rows("listen."))
}

// quoting takes a word, or true or false, which older files have.
func quoting(field *protocol.Quoting) setting {
	s := choice("stats.quote_strings", field, "needed", "always", "never")
	s.allowed += `; also true for "always", and false for "never"`
	words := s.set
	s.set = func(v any) error {
		switch v {
		case true:
			*field = protocol.QuoteAlways
		case false:
			*field = protocol.QuoteNever
		default:
			return words(v)
		}
		return nil
	}
	return s
}

// find is the row of a key; nil if there is none.
func find(rows []setting, key string) *setting {
	for i := range rows {
		if rows[i].key == key {
			return &rows[i]
		}
	}
	return nil
}

// row is that of a key outside of arrays.
func (c *Config) row(key string) *setting { return find(c.rows(), key) }

// inOneLine shows the rows of an element of an array of tables, without the name of the array.
func inOneLine(rows []setting) string {
	fields := make([]string, len(rows))
	for i, s := range rows {
		fields[i] = s.key[strings.LastIndex(s.key, ".")+1:] + " = " + s.show()
	}
	return strings.Join(fields, ", ")
}

// shownAll shows all elements of an array of tables, to compare them.
func shownAll[T any](list []T, show func(*T) string) string {
	var all strings.Builder
	for i := range list {
		all.WriteString(show(&list[i]) + "\n")
	}
	return all.String()
}

// elementRows are the keys of arrays of tables.
func elementRows() []setting {
	return slices.Concat(new(TubeRule).rows(), new(ScheduleRule).rows(), new(QueueFor).rows(),
		accessRows(new(access.Rule)))
}

// everyKey has the keys of all tables.
func everyKey() (all []string) {
	for _, s := range slices.Concat(new(Listen).rows(), new(Config).rows(), elementRows()) {
		all = append(all, s.key)
	}
	return all
}

// tablesWith says where a key stands.
func tablesWith(name string) (where []string) {
	for _, key := range everyKey() {
		if table, ok := strings.CutSuffix(key, "."+name); ok {
			where = append(where, "in ["+table+"]")
		} else if key == name && !strings.Contains(name, ".") {
			where = append(where, "before the first table")
		}
	}
	return where
}

// keysBelow are the names that the table at path may hold, in order.
func keysBelow(path toml.Key) []string {
	prefix := ""
	if len(path) > 0 {
		prefix = path.String() + "."
	}
	var names []string
	for _, key := range everyKey() {
		rest, ok := strings.CutPrefix(key, prefix)
		name, _, _ := strings.Cut(rest, ".")
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func join(names []string) string { return strings.Join(names, ", ") }
