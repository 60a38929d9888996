package config

import (
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue/policy"
)

// The defaults and limits of settings.
const (
	defaultMaxJobSize = beanstalk.DefaultMaxJobSize
	maxJobSizeLimit   = beanstalk.MaxMaxJobSize
	maxShards         = router.MaxShards
	maxSyncInterval   = time.Hour
	defaultBinlogSize = 10485760
)

// The words of storage.backend and storage.sync.
const (
	InMemory     = "memory"
	OnDisk       = "pebble"
	syncAlways   = "always"
	SyncInterval = "interval"
	SyncNever    = "never"
)

// Config is everything that the process can be told. Flags override the file, the
// file overrides the defaults.
type Config struct {
	Listen []Listen
	Shards int // 0: one for each core
	Loops  int // 0: one for each core but one
	User   string

	Limits struct {
		MaxJobSize     int64 // bytes
		MaxConnections int   // 0: as many as file descriptors allow
		MaxJobs        int   // 0: no limit, as below
		MaxBytes       int64
		MaxMemory      int64
		Handshake      time.Duration
		Handshakes     int // 0: as MostHandshakes says
	}
	// Memory says how much garbage the heap may hold before it is collected: a
	// percentage of the live data, but at least GarbageRoom.
	Memory struct {
		GarbagePercent int
		GarbageRoom    int64 // bytes
	}
	Storage struct {
		Backend      string
		Path         string // the data directory
		Sync         string
		SyncInterval time.Duration
		MemoryBudget int64  // bytes; 0: no limit
		MinFree      int64  // bytes
		Cache        int64  // bytes
		Log          int64  // bytes
		BackupPath   string // "": beside Path
	}
	Stats     struct{ Quoting protocol.Quoting }
	Tubes     []TubeRule
	Schedules []ScheduleRule
	Queue     QueueConfig
	HTTP      HTTPConfig
	Metrics   MetricsConfig
	Cluster   ClusterConfig
	Access    []access.Rule // none: everyone may do everything
	Open      bool          // the file says so itself: access = []
	Audit     struct{ File string }
	Log       struct {
		Level  string
		Format string
		Slow   time.Duration // 0: nothing is slow
	}

	// BinlogMaxSize is what -s said. It has no effect; stats shows it.
	BinlogMaxSize int

	Policy      *access.Policy    // of Access
	Account     *account          // of User; nil if the process keeps its user
	From        map[string]Origin // by key; a key that is absent has its default
	listenFlags []string          // -l and -p as given, in case sockets of systemd override them
}

// Listen is one address to listen on.
type Listen struct {
	Address Address
	Permissions
	TLS   TLS
	Login bool // clients may log in with a token
	HTTP  bool // clients may speak HTTP, and are not disconnected for it
	from  Origin
}

// Origin says where a setting was made: a flag, a line of the file, or nowhere.
type Origin struct {
	Flag string
	File string
	Line int
}

func (o Origin) String() string {
	switch {
	case o.Flag != "":
		return "flag " + o.Flag
	case o.File != "":
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	return "default"
}

// Quota is what all shards may have together.
func (c *Config) Quota() policy.Amount {
	l := &c.Limits
	return policy.Amount{
		policy.BoundJobs: int64(l.MaxJobs), policy.BoundBytes: l.MaxBytes, policy.BoundMemory: l.MaxMemory,
	}
}

func defaults() *Config {
	c := fresh[Config]("")
	c.BinlogMaxSize, c.From = defaultBinlogSize, map[string]Origin{}
	a, _ := flagAddress(nil, nil) // a port alone is never wrong
	c.Listen = []Listen{{Address: a}}
	return &c
}

// Load returns the configuration, or Mistakes. It binds and writes nothing.
func Load(f Flags) (*Config, error) {
	c := defaults()
	var ms Mistakes
	if f.File != "" {
		ms = readConfigFile(f.File, c)
	}
	ms = append(ms, c.applyFlags(f)...)
	ms = append(ms, findBodies(c.Schedules, c.Limits.MaxJobSize)...)
	ms = append(ms, c.findAccount()...)
	ms = append(ms, c.findCertificates()...)
	ms = append(ms, c.findDirectory(ms)...)
	ms = append(ms, c.findCluster(ms)...)
	ms = append(ms, c.findPolicy(ms)...)
	if len(ms) > 0 {
		ms.sort()
		return nil, ms
	}
	return c, nil
}

func (c *Config) applyFlags(f Flags) Mistakes {
	ms := slices.Concat(c.applyAddress(f),
		c.applyAddresses("queue.listen", "-queue", f.queue, &c.Queue.Listen),
		c.applyAddresses("http.listen", "-http", f.HTTP, &c.HTTP.Listen))
	// -b chooses the store on disk as well as its directory, as in beanstalkd. -f and -F only say how it is synced, and
	// mean nothing without it.
	for _, s := range f.said {
		if err := c.row(s.key).set(s.value); err != nil {
			panic("flag " + s.flag + " passed the check: " + err.Error())
		}
		c.From[s.key] = Origin{Flag: s.flag}
	}
	if f.binlogMaxSize != nil {
		c.BinlogMaxSize, c.From["-s"] = *f.binlogMaxSize, Origin{Flag: "-s"}
	}
	return ms
}

// applyAddress lets -l replace all addresses of the file, unless one of them has TLS, which
// nobody should lose because somebody changed an address. -p alone changes the port
// of the file's one TCP address and keeps its host: a server that listens only on
// 127.0.0.1 must not become reachable because somebody changed its port.
func (c *Config) applyAddress(f Flags) Mistakes {
	if f.addr == nil && f.port == nil {
		return nil
	}
	if f.addr != nil {
		c.listenFlags = append(c.listenFlags, "-l "+*f.addr)
	}
	if f.port != nil {
		c.listenFlags = append(c.listenFlags, "-p "+*f.port)
	}
	a, err := flagAddress(f.addr, f.port)
	if err != nil {
		return Mistakes{c.addressMistake(err.Error())}
	}
	if f.addr != nil {
		if slices.ContainsFunc(c.Listen, func(l Listen) bool { return l.TLS.Asked() }) {
			return Mistakes{c.addressMistake("the addresses of the file have TLS, and this one would not; " +
				"change listen.address in the file")}
		}
		c.Listen = []Listen{{Address: a, from: Origin{Flag: strings.Join(c.listenFlags, " ")}}}
		return nil
	}
	var tcp []*Listen
	for i := range c.Listen {
		if c.Listen[i].Address.Path == "" {
			tcp = append(tcp, &c.Listen[i])
		}
	}
	if len(tcp) != 1 {
		return Mistakes{c.addressMistake(fmt.Sprintf(
			"the file has %d TCP addresses, and -p can change only one; name the host too, with -l", len(tcp)))}
	}
	tcp[0].Address.Port = a.Port
	tcp[0].from = Origin{Flag: c.listenFlags[0]}
	return nil
}

// applyAddresses lets a flag replace all addresses of a front end.
func (c *Config) applyAddresses(key, flag string, value *string, to *[]Address) Mistakes {
	if value == nil {
		return nil
	}
	list, err := parseAddresses(*value)
	if err != nil {
		return Mistakes{{Key: flag, Value: *value, Problem: err.Error(), Code: exit.Listen}}
	}
	*to, c.From[key] = list, Origin{Flag: flag}
	return nil
}

func (c *Config) addressMistake(problem string) Mistake {
	return Mistake{Key: strings.Join(c.listenFlags, " "), Problem: problem, Code: exit.Listen}
}

// IgnoredWhenInherited lists what the user said about addresses, which sockets from
// systemd override.
func (c *Config) IgnoredWhenInherited() []string {
	said := slices.Clone(c.listenFlags)
	for _, l := range c.Listen {
		if l.from.File != "" {
			said = append(said, fmt.Sprintf("listen %s (%s)", l.Address, l.from))
		}
	}
	return said
}

// findAccount looks the user up now, before an address is bound: an unknown user is
// a mistake like any other.
func (c *Config) findAccount() Mistakes {
	if c.User == "" && c.From["user"].Flag == "" {
		return nil
	}
	a, err := LookupAccount(c.User)
	if err != nil {
		m := c.mistake("user", err.Error())
		m.Code = exit.Code(err)
		return Mistakes{m}
	}
	c.Account = a
	return nil
}

// Cores is how many cores the process may use. A server may later have Go run more goroutines at a time.
var Cores = runtime.GOMAXPROCS(0)

// ShardCount is how many shards to run: one for each core unless the user says otherwise.
func ShardCount(c *Config) int {
	if c.Shards > 0 {
		return c.Shards
	}
	return min(Cores, maxShards)
}

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
