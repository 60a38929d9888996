package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

func writeConfig(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "beanfield.toml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load resolves a configuration from the words of a command line and a file.
func load(t *testing.T, args, file string) (*Config, error) {
	t.Helper()
	return Load(flagsAnd(t, args, file))
}

func flagsAnd(t *testing.T, args, file string) Flags {
	t.Helper()
	f := must.Get(ParseFlags(strings.Fields(args)))
	if file != "" {
		f.File = writeConfig(t, file)
	}
	return f
}

// refused is what is said of a configuration that is wrong, and the exit code. FILE is the file.
func refused(t *testing.T, args, file string) (said string, code int) {
	t.Helper()
	f := flagsAnd(t, args, file)
	_, err := Load(f)
	if err == nil {
		t.Errorf("%q with %q is accepted", args, file)
		return "", exit.OK
	}
	if said = err.Error(); file != "" {
		said = strings.ReplaceAll(said, f.File, "FILE")
	}
	return said, exit.Code(err)
}

// printed is what -check-config prints of a configuration.
func printed(t *testing.T, c *Config) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, Print(&b, c, "1.2"))
	return b.String()
}

// forgetOrigins removes from a configuration where its settings come from.
func forgetOrigins(c *Config) {
	c.From = map[string]Origin{}
	for i := range c.Listen {
		c.Listen[i].from = Origin{}
	}
}

const fullFile = `# all but the user
shards = 3
loops = 2
[limits]
max_job_size = "64KiB"
max_connections = 1_000
max_jobs = 5_000
max_bytes = "5GiB"
max_memory = "6GiB"
[[listen]]
address = "127.0.0.1:11301"
[[listen]]
address = "[::1]:11302"
[[listen]]
address = "unix:/run/b.sock"
mode = "0660"
[storage]
backend = "pebble"
path = "/"
sync = "interval"
sync_interval = "1m30s"
memory_budget = "1GiB"
min_free = 0
cache = 3_145_728
log_size = "7MiB"
backup_path = "/backups"
[stats]
quote_strings = false
[log]
level = "error"
format = "json"
[[queue.for]]
match = "a*"
max_length = 4
[queue]
listen = ["127.0.0.1:8080", "unix:/run/q.sock"]
default_service = "s"
tokens = ["t", "u"]
origins = ["https://example.org"]
hosts = ["queue.example.org"]
dead_after = "1m"
max_batch = "2KiB"
max_length = 5
max_payload = 6
max_tags = "1KiB"
max_delivery = 7
max_idle = "8s"
leaving = "0s"
dead_letter = "bury"
auto_evict = true
max_unsent = "8KiB"
[[queue.for]]
match = "*"
dead_letter = "drop"
`

func TestConfigFile(t *testing.T) {
	c := must.Get(load(t, "", fullFile))
	forgetOrigins(c)
	want := defaults()
	want.Shards, want.Loops = 3, 2
	want.Limits.MaxJobSize, want.Limits.MaxConnections = 65536, 1000
	want.Limits.MaxJobs, want.Limits.MaxBytes, want.Limits.MaxMemory = 5000, 5<<30, 6<<30
	want.Listen = []Listen{
		{Address: Address{Host: "127.0.0.1", Port: 11301}},
		{Address: Address{Host: "::1", Port: 11302}},
		{Address: Address{Path: "/run/b.sock"}, Permissions: Permissions{Mode: 0o660}},
	}
	want.Storage.Backend, want.Storage.Path, want.Storage.BackupPath = "pebble", "/", "/backups"
	want.Storage.Sync, want.Storage.SyncInterval = "interval", 90*time.Second
	want.Storage.MemoryBudget, want.Storage.MinFree, want.Storage.Cache = 1<<30, 0, 3<<20
	want.Storage.Log = 7 << 20
	want.Stats.Quoting = protocol.QuoteNever
	want.Log.Level, want.Log.Format = "error", "json"
	limits := policy.Limits{MaxLength: 5, MaxPayload: 6, MaxTags: 1 << 10, MaxDelivery: 7,
		MaxIdle:    int64(8 * time.Second),
		DeadLetter: policy.FateBury, AutoEvict: true, MaxUnsent: 8 << 10}
	short, dropping := limits, limits
	short.MaxLength, dropping.DeadLetter = 4, policy.FateDrop
	want.Queue = QueueConfig{
		Listen:         []Address{{Host: "127.0.0.1", Port: 8080}, {Path: "/run/q.sock"}},
		DefaultService: "s", Tokens: []string{"t", "u"}, Origins: []string{"https://example.org"},
		Hosts: []string{"queue.example.org"}, DeadAfter: time.Minute, MaxBatch: 2048, Limits: limits,
		For: []QueueFor{{"a*", short}, {"*", dropping}},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("read %+v, want %+v", c, want)
	}
}

// TOML has three spellings for the same thing.
func TestConfigFileSpellings(t *testing.T) {
	for _, text := range []string{
		"[limits]\nmax_job_size = 7\n[[listen]]\naddress = ':1'\n[[listen]]\naddress = ':2'\n",
		"limits.max_job_size = 7\nlisten = [{ address = ':1' }, { address = ':2' }]\n",
		"limits = { max_job_size = 7 }\nlisten = [\n  { address = ':1' }, # one\n  { address = ':2' },\n]\n",
		"\xef\xbb\xbflimits.max_job_size = 7\r\n[[listen]]\r\naddress = ':1'\r\n[[listen]]\r\naddress = ':2'\r\n",
	} {
		c, err := load(t, "", text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if c.Limits.MaxJobSize != 7 || len(c.Listen) != 2 || c.Listen[0].Address.Port != 1 ||
			c.Listen[1].Address.Port != 2 {
			t.Errorf("%q: read %+v", text, c)
		}
	}
}

// wins is where the value of a key comes from, if flags and file disagree.
type wins struct{ args, file, key, value, from string }

func TestPrecedence(t *testing.T) {
	const file = "shards = 3\nuser = 'root'\nlimits.max_job_size = 7\nlog.level = 'error'\n[[listen]]\naddress = " +
		"'127.0.0.1:1'\n"
	checkWins(t, []wins{
		{"", "", "shards", "0", "default"},
		{"", file, "shards", "3", "FILE:1"},
		{"-shards 5", file, "shards", "5", "flag -shards"},
		{"-shards 0", file, "shards", "0", "flag -shards"},
		{"", "", "user", `""`, "default"},
		{"", file, "user", `"root"`, "FILE:2"},
		{"-u nobody", file, "user", `"nobody"`, "flag -u"},
		{"", "", "limits.max_job_size", "65535", "default"},
		{"", file, "limits.max_job_size", "7", "FILE:3"},
		{"-z 9", file, "limits.max_job_size", "9", "flag -z"},
		{"", "", "log.level", `"notice"`, "default"},
		{"", file, "log.level", `"error"`, "FILE:4"},
		{"-V", file, "log.level", `"info"`, "flag -V"},
		{"-VVV", file, "log.level", `"debug"`, "flag -VV"},
		{"", file, "log.format", `"text"`, "default"},
		{"", file, "queue.listen", "[]", "default"},
		{"-queue :1", "", "queue.listen", `[":1"]`, "flag -queue"},
		{"-queue [::1]:1,unix:/q,:2", "", "queue.listen", `["[::1]:1", "unix:/q", ":2"]`, "flag -queue"},
		{"-http 127.0.0.1:0,127.0.0.1:0", "", "http.listen", `["127.0.0.1:0", "127.0.0.1:0"]`, "flag -http"},
		{"-queue [::1]:1", "queue.listen = ['h:2', 'h:3']", "queue.listen", `["[::1]:1"]`, "flag -queue"},
		{"", "queue.listen = ['h:2', 'h:3']", "queue.listen", `["h:2", "h:3"]`, "FILE:1"},
		{"", "", "listen.address", `":11300"`, "default"},
		{"", file, "listen.address", `"127.0.0.1:1"`, "FILE:5"},
		{"-p 2", "", "listen.address", `":2"`, "flag -p 2"},
		{"-p 2", file, "listen.address", `"127.0.0.1:2"`, "flag -p 2"},
		{"-l 127.0.0.2", "", "listen.address", `"127.0.0.2:11300"`, "flag -l 127.0.0.2"},
		{"-l ::1", file, "listen.address", `"[::1]:11300"`, "flag -l ::1"},
		{"-l ::1 -p 3", file, "listen.address", `"[::1]:3"`, "flag -l ::1 -p 3"},
		{"-l unix:/s -p 3", file, "listen.address", `"unix:/s"`, "flag -l unix:/s -p 3"},
	})
}

func checkWins(t *testing.T, all []wins) {
	t.Helper()
	for _, c := range all {
		got, err := load(t, c.args, c.file)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		value, from := got.Listen[0].Address.String(), got.Listen[0].from
		if row := got.row(c.key); row != nil {
			value, from = row.show(), got.From[c.key]
		} else {
			value = quote(value)
		}
		o := from.String()
		if from.File != "" {
			o = strings.Replace(o, from.File, "FILE", 1)
		}
		if value != c.value || o != c.from || len(got.Listen) != 1 {
			t.Errorf("%q with %q: %s = %s from %s, want %s from %s", c.args, c.file, c.key, value, o, c.value, c.from)
		}
	}
}

// -p changes the port of the one TCP address of a file; unix sockets stay.
func TestPortFlagBesideUnixSocket(t *testing.T) {
	c := must.Get(load(t, "-p 5", "[[listen]]\naddress = 'unix:/s'\n[[listen]]\naddress = '127.0.0.1:1'\n"))
	if a, b := c.Listen[0].Address.String(), c.Listen[1].Address.String(); a != "unix:/s" || b != "127.0.0.1:5" {
		t.Errorf("listens on %s and %s", a, b)
	}
}

// What -check-config prints, read as a file, is the same configuration.
func TestCheckConfigRoundTrip(t *testing.T) {
	for _, args := range []string{"", "-u nobody -z 3 -VV -l unix:/a\"b\\c\x01 -b /tmp -f 1234", "-shards 2 -p 9 -F"} {
		for _, file := range []string{"", fullFile} {
			if strings.Contains(args, "-p") && file != "" {
				continue // two TCP addresses
			}
			c := must.Get(load(t, args, file))
			text := printed(t, c)
			again, err := load(t, "", strings.Replace(text, `queue.tokens = "2, not shown"`,
				`queue.tokens = ["t", "u"]`, 1))
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			forgetOrigins(c)
			forgetOrigins(again)
			c.listenFlags = nil
			if !reflect.DeepEqual(c, again) {
				t.Errorf("printed\n%s\nread %+v, was %+v", text, again, c)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "1": 1, "64KiB": 65536, "1 MiB": 1 << 20, "1GiB": 1 << 30} {
		if n, err := asSize(s, 0, 1<<30); n != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", s, n, err, want)
		}
	}
	for s, want := range map[string]string{
		"": "not a size", "KiB": "not a size", "-1": "not a size", "1KB": "not a size", "1k": "not a size",
		"1.5MiB": "not a size",
		"2GiB":   "too large", "1025MiB": "too large", "18014398509481984KiB": "too large",
		"99999999999999999999": "too large",
	} {
		if _, err := asSize(s, 0, 1<<30); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}

func TestShowSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "1", 1023: "1023", 1024: `"1KiB"`, 1025: "1025", 65535: "65535", 64 << 10: `"64KiB"`,
		1 << 20: `"1MiB"`, 1<<20 + 1024: `"1025KiB"`, 256 << 20: `"256MiB"`, 1 << 30: `"1GiB"`, 1 << 40: `"1024GiB"`,
	} {
		if got := showSize(n); got != want {
			t.Errorf("%d is shown as %s, want %s", n, got, want)
		}
	}
}

func TestShowTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		50 * time.Millisecond: `"50ms"`, time.Second: `"1s"`, 10 * time.Second: `"10s"`, time.Minute: `"1m"`,
		90 * time.Second: `"1m30s"`, time.Hour: `"1h"`, time.Hour + time.Second: `"1h0m1s"`, 10 * time.Minute: `"10m"`,
	} {
		if got := showTime(int64(d)); got != want {
			t.Errorf("%v is shown as %s, want %s", d, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for s, want := range map[string]time.Duration{"1ms": time.Millisecond, "50ms": 50 * time.Millisecond,
		"1.5s": 1500 * time.Millisecond, "1h": time.Hour} {
		if d, err := asTime(s, minRetry, int64(time.Hour)); time.Duration(d) != want || err != nil {
			t.Errorf("%q is %v, %v; want %v", s, d, err, want)
		}
	}
	for v, want := range map[any]string{
		"": "not a time with its unit", "50": "not a time with its unit", "fast": "not a time with its unit",
		"999us": "too small", "0": "too small", "-1s": "too small", "3601s": "too large",
		int64(50): "this is a whole number",
	} {
		if _, err := asTime(v, minRetry, int64(time.Hour)); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %q", v, err, want)
		}
	}
}
