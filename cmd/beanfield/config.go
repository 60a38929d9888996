package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/admin"
	"beanfield/conn/beanstalk"
	"beanfield/conn/secure"
	"beanfield/conn/slow"
	"beanfield/router"
	"beanfield/shard/queue"
)

// The defaults and limits of settings.
const (
	defaultMaxJobSize = beanstalk.DefaultMaxJobSize
	maxJobSizeLimit   = beanstalk.MaxMaxJobSize
	maxShards         = router.MaxShards
	maxLoops          = 1024
	maxConnections    = 10_000_000
	maxBytes          = 1 << 40
	minCache          = 1 << 20
	minLog            = 1 << 20
	maxLog            = 64 << 30
	maxGarbagePercent = 1000
	minGarbageRoom    = 1 << 20
	minSyncInterval   = time.Millisecond
	maxSyncInterval   = time.Hour
	minHandshake      = 100 * time.Millisecond
	maxHandshake      = time.Hour
	maxSlow           = time.Hour
	defaultBinlogSize = 10485760
)

// The words of storage.backend, storage.sync and stats.quote_strings.
const (
	inMemory     = "memory"
	onDisk       = "pebble"
	syncAlways   = "always"
	syncInterval = "interval"
	syncNever    = "never"
	quoteNeeded  = "needed"
	quoteAlways  = "always"
	quoteNever   = "never"
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
		Handshakes     int // 0: as mostHandshakes says
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
	Stats     struct{ QuoteStrings string }
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

	tubeAt      []origin          // of Tubes
	policy      *access.Policy    // of Access
	account     *account          // of User; nil if the process keeps its user
	from        map[string]origin // by key; a key that is absent has its default
	listenFlags []string          // -l and -p as given, in case sockets of systemd override them
}

// Listen is one address to listen on.
type Listen struct {
	Address address
	Permissions
	TLS   TLS
	Login bool // clients may log in with a token
	HTTP  bool // clients may speak HTTP, and are not disconnected for it
	from  origin
}

// origin says where a setting was made: a flag, a line of the file, or nowhere.
type origin struct {
	flag string
	file string
	line int
}

func (o origin) String() string {
	switch {
	case o.flag != "":
		return "flag " + o.flag
	case o.file != "":
		return fmt.Sprintf("%s:%d", o.file, o.line)
	}
	return "default"
}

// most is what all shards may have together.
func (c *Config) most() queue.Amount {
	l := &c.Limits
	return queue.Amount{queue.BoundJobs: int64(l.MaxJobs), queue.BoundBytes: l.MaxBytes, queue.BoundMemory: l.MaxMemory}
}

func (c *Config) garbage() garbage { return garbage{c.Memory.GarbagePercent, c.Memory.GarbageRoom} }

func defaults() *Config {
	c := &Config{BinlogMaxSize: defaultBinlogSize, from: map[string]origin{}}
	a, err := flagAddress(nil, nil)
	if err != nil {
		panic("the default address is wrong: " + err.Error())
	}
	c.Listen = []Listen{{Address: a}}
	c.Limits.MaxJobSize = defaultMaxJobSize
	c.Limits.Handshake = secure.Timeout
	c.Log.Slow = slow.DefaultBound
	c.Memory.GarbagePercent = 4
	c.Memory.GarbageRoom = 32 << 20
	c.Storage.Backend = inMemory
	c.Storage.Sync = syncAlways
	c.Storage.SyncInterval = 50 * time.Millisecond
	c.Storage.MinFree = 256 << 20
	c.Storage.Cache = 32 << 20
	c.Storage.Log = 64 << 20
	c.Stats.QuoteStrings = quoteNeeded
	c.Log.Level = "notice"
	c.Log.Format = "text"
	c.Queue = defaultQueue()
	c.Metrics.MaxTubes = admin.DefaultMaxTubes
	c.Cluster.Replicas = defaultReplicas
	return c
}

// loadConfig returns the configuration, or Mistakes. It binds and writes nothing.
func loadConfig(f flags) (*Config, error) {
	c := defaults()
	var ms Mistakes
	if f.config != "" {
		ms = readConfigFile(f.config, c)
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

func (c *Config) applyFlags(f flags) Mistakes {
	ms := slices.Concat(c.applyAddress(f),
		c.applyAddresses("queue.listen", "-queue", f.queue, &c.Queue.Listen), c.applyAddresses("http.listen", "-http", f.http, &c.HTTP.Listen))
	c.applyStorage(f)
	given(c, "shards", "-shards", &c.Shards, f.shards)
	given(c, "limits.max_job_size", "-z", &c.Limits.MaxJobSize, f.maxJobSize)
	given(c, "user", "-u", &c.User, f.user)
	given(c, "-s", "-s", &c.BinlogMaxSize, f.binlogMaxSize)
	if f.verbose > 0 {
		c.Log.Level, c.from["log.level"] = "info", origin{flag: "-V"}
	}
	if f.verbose > 1 {
		c.Log.Level, c.from["log.level"] = "debug", origin{flag: "-VV"}
	}
	return ms
}

// given lets a flag win, if there is one.
func given[V any](c *Config, key, flag string, to, value *V) {
	if value != nil {
		*to, c.from[key] = *value, origin{flag: flag}
	}
}

// applyAddress lets -l replace all addresses of the file, unless one of them has TLS, which
// nobody should lose because somebody changed an address. -p alone changes the port
// of the file's one TCP address and keeps its host: a server that listens only on
// 127.0.0.1 must not become reachable because somebody changed its port.
func (c *Config) applyAddress(f flags) Mistakes {
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
		if slices.ContainsFunc(c.Listen, func(l Listen) bool { return l.TLS.asked() }) {
			return Mistakes{c.addressMistake("the addresses of the file have TLS, and this one would not; change listen.address in the file")}
		}
		c.Listen = []Listen{{Address: a, from: origin{flag: strings.Join(c.listenFlags, " ")}}}
		return nil
	}
	var tcp []*Listen
	for i := range c.Listen {
		if c.Listen[i].Address.path == "" {
			tcp = append(tcp, &c.Listen[i])
		}
	}
	if len(tcp) != 1 {
		return Mistakes{c.addressMistake(fmt.Sprintf(
			"the file has %d TCP addresses, and -p can change only one; name the host too, with -l", len(tcp)))}
	}
	tcp[0].Address.port = a.port
	tcp[0].from = origin{flag: c.listenFlags[0]}
	return nil
}

// applyAddresses lets a flag replace all addresses of a front end.
func (c *Config) applyAddresses(key, flag string, value *string, to *[]address) Mistakes {
	if value == nil {
		return nil
	}
	list, err := parseAddresses(*value)
	if err != nil {
		return Mistakes{{Key: flag, Value: *value, Problem: err.Error(), Code: exitListen}}
	}
	given(c, key, flag, to, &list)
	return nil
}

func (c *Config) addressMistake(problem string) Mistake {
	return Mistake{Key: strings.Join(c.listenFlags, " "), Problem: problem, Code: exitListen}
}

// ignoredWhenInherited lists what the user said about addresses, which sockets from
// systemd override.
func (c *Config) ignoredWhenInherited() []string {
	said := slices.Clone(c.listenFlags)
	for _, l := range c.Listen {
		if l.from.file != "" {
			said = append(said, fmt.Sprintf("listen %s (%s)", l.Address, l.from))
		}
	}
	return said
}

// findAccount looks the user up now, before an address is bound: an unknown user is
// a mistake like any other.
func (c *Config) findAccount() Mistakes {
	o := c.from["user"]
	if c.User == "" && o.flag == "" {
		return nil
	}
	a, err := lookupAccount(c.User)
	if err != nil {
		m := Mistake{Key: "user", Value: quote(c.User), Problem: err.Error(), Code: exitCode(err)}
		m.File, m.Line = o.file, o.line
		if o.flag != "" {
			m.Key, m.Value = o.flag, c.User
		}
		return Mistakes{m}
	}
	c.account = a
	return nil
}

// shards is how many shards to run: one for each core unless the user says otherwise.
func shards(c *Config) int {
	if c.Shards > 0 {
		return c.Shards
	}
	return min(runtime.GOMAXPROCS(0), maxShards)
}
