package config

import (
	"slices"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
)

// mistaken is a file, and what is wrong with it. FILE stands for the file's name, ADDRESSES for
// what an address may be; a text that ends in ": " or "= " is only the beginning.
type mistaken struct{ name, text, want string }

// What is allowed, where several mistakes say so.
const (
	allKeys = "listen, shards, loops, user, limits, memory, storage, stats, log, audit, queue, http, metrics, " +
		"cluster, tube, schedule, access"
	aList = "tables, one for each address, as [[listen]] with address, mode, group, login, refuse_http, cert, " +
		"key, client_ca, client_auth, min_tls"
	quotes    = `"needed", "always", "never"; also true for "always", and false for "never"`
	ofStorage = "backend, path, sync, sync_interval, memory_budget, min_free, cache, log_size, backup_path in [storage]"
	orUnit    = `, or text with a unit: "64KiB", "1MiB", "1GiB"`
	someMode  = `text from "0001" to "0777", or "" to leave it to the umask`
)

var fileMistakes = []mistaken{
	{"unknown key", "\nshard = 2\n", "FILE:2: shard = 2: unknown key; did you mean shards? allowed: " + allKeys},
	{"unknown key in a table", "[limits]\n# hm\nmax_jbos = 'x'\n",
		`FILE:3: limits.max_jbos = "x": unknown key; did you mean max_jobs? allowed: max_job_size, max_connections, max_jobs, max_bytes, max_memory, handshake_timeout, handshakes in [limits]`},
	{"unknown table", "[limit]\nmax_job_size = 1\n",
		"FILE:1: limit = {...}: unknown key; did you mean limits? allowed: " + allKeys},
	{"case counts", "Shards = 2\n", "FILE:1: Shards = 2: unknown key; did you mean shards? allowed: " + allKeys},
	{"quoted key is not a path", "\"limits.max_job_size\" = 1\n",
		`FILE:1: "limits.max_job_size" = 1: unknown key; allowed: listen, shards, loops, user, limits, memory, storage, stats, log, audit, queue, http, metrics, cluster, tube, schedule, access`},
	{"key of another table", "[storage]\nmax_jobs = 1\nshards = 2\n",
		`FILE:2: storage.max_jobs = 1: unknown key; it belongs in [limits] or in [tube]; allowed: ` + ofStorage + "\n" +
			"FILE:3: storage.shards = 2: unknown key; it belongs before the first table; allowed: " + ofStorage},
	{"misspelt and missing", "[[listen]]\n\nadress = ':1'\n",
		"FILE:3: listen.adress = \":1\": unknown key; did you mean address? allowed: address, mode, group, login, refuse_http, cert, key, client_ca, client_auth, min_tls in [listen]\n" +
			"FILE:1: listen.address: missing; allowed: ADDRESSES"},
	{"wrong type", "shards = 'two'\n", `FILE:1: shards = "two": this is text; allowed: 0 to 254`},
	{"fraction", "shards = 1.5\n", "FILE:1: shards = 1.5: this is a number with a fraction; allowed: 0 to 254"},
	{"boolean", "[log]\nlevel = true\n", `FILE:2: log.level = true: this is true or false; allowed: "debug", ` +
		`"info", "notice", "warn", "error"`},
	{"number for a word", "[stats]\nquote_strings = 1\n",
		`FILE:2: stats.quote_strings = 1: this is a whole number; allowed: ` + quotes},
	{"unknown word of quoting", "[stats]\nquote_strings = \"true\"\n",
		`FILE:2: stats.quote_strings = "true": unknown word; allowed: ` + quotes},
	{"date", "user = 2020-01-02\n", `FILE:1: user = `},
	{"array", "user = ['a']\n", `FILE:1: user = [...]: this is an array; allowed: a user of this machine, or "" to ` +
		`stay who started it`},
	{"too small", "loops = -1\n", "FILE:1: loops = -1: too small; allowed: 0 to 1024"},
	{"too large", "shards = 255\n", "FILE:1: shards = 255: too large; allowed: 0 to 254"},
	{"size", "limits.max_job_size = '64KB'\n", `FILE:1: limits.max_job_size = "64KB": not a size; allowed: 0 to ` +
		`1073741824` + orUnit},
	{"large size", "limits.max_job_size = 1073741825\n",
		`FILE:1: limits.max_job_size = 1073741825: too large; allowed: 0 to 1073741824` + orUnit},
	{"word", "[log]\nformat = 'xml'\n", `FILE:2: log.format = "xml": unknown word; allowed: "text", "json"`},
	{"backend", "[storage]\nbackend = 'disk'\n",
		`FILE:2: storage.backend = "disk": unknown word; allowed: "memory", "pebble"`},
	{"no path", "[storage]\nsync = 'never'\nbackend = 'pebble'\n",
		`FILE:3: storage.backend = "pebble": no directory to keep jobs in: set storage.path, or give -b DIR`},
	{"empty path", "[storage]\nbackend = 'pebble'\npath = ''\n",
		`FILE:3: storage.path = "": the backend "pebble" needs a directory; allowed: an existing directory; "" with backend "memory" only`},
	{"wrong path", "[storage]\nbackend = 'pebble'\npath = 7\n",
		`FILE:3: storage.path = 7: this is a whole number; allowed: an existing directory; "" with backend "memory" only`},
	{"path and no directory", "[storage]\nbackend = 'pebble'\npath = '/dev/null'\n",
		`FILE:3: storage.path = "/dev/null": not a directory`},
	{"path in a file", "[storage]\nbackend = 'pebble'\npath = '/dev/null/x'\n",
		`FILE:3: storage.path = "/dev/null/x": cannot open this directory: not a directory`},
	{"sync", "[storage]\nsync = 'sometimes'\n", `FILE:2: storage.sync = "sometimes": unknown word; allowed: ` +
		`"always", "interval", "never"`},
	{"time without a unit", "[storage]\nsync_interval = 50\n",
		`FILE:2: storage.sync_interval = 50: this is a whole number; allowed: text with a unit, from "1ms" to "1h"`},
	{"no time", "[storage]\nsync_interval = '0s'\n",
		`FILE:2: storage.sync_interval = "0s": too small; allowed: text with a unit, from "1ms" to "1h"`},
	{"large budget", "[storage]\nmemory_budget = '2048GiB'\n",
		`FILE:2: storage.memory_budget = "2048GiB": too large; allowed: 0 to 1099511627776` + orUnit},
	{"short log", "[storage]\nlog_size = '1023KiB'\n",
		`FILE:2: storage.log_size = "1023KiB": too small; allowed: 1048576 to 68719476736` + orUnit},
	{"long log", "[storage]\nlog_size = '65GiB'\n",
		`FILE:2: storage.log_size = "65GiB": too large; allowed: 1048576 to 68719476736` + orUnit},
	{"small cache", "[storage]\ncache = 0\n",
		`FILE:2: storage.cache = 0: too small; allowed: 1048576 to 1099511627776` + orUnit},
	{"unknown in storage", "[storage]\ndir = '/'\n",
		`FILE:2: storage.dir = "/": unknown key; allowed: ` + ofStorage},
	{"table expected", "limits = 3\n",
		"FILE:1: limits = 3: this is a whole number; allowed: a table, [limits], with max_job_size, max_connections, max_jobs, max_bytes, max_memory, handshake_timeout, handshakes"},
	{"array of tables for a table", "[[log]]\nlevel = 'info'\n",
		"FILE:1: log = [...]: this is an array of tables; allowed: a table, [log], with level, format, slow"},
	{"table for an array of tables", "[listen]\naddress = ':1'\n",
		"FILE:1: listen = {...}: this is a table; allowed: " + aList},
	{"no address at all", "listen = []\n", "FILE:1: listen = [...]: no address; allowed: " + aList},
	{"listen of text", "listen = [':1']\n", "FILE:1: listen = [...]: this is an array; allowed: " + aList},
	{"address missing", "[[listen]]\naddress = ':1'\n\n[[listen]]\nmode = ''\n",
		"FILE:4: listen.address: missing; allowed: ADDRESSES"},
	{"second of equal keys", "[[listen]]\naddress = ':1'\n[[listen]]\naddress = '1'\n[[listen]]\naddress = ':3'\n",
		`FILE:4: listen.address = "1": missing port in address; allowed: ADDRESSES`},
	{"unknown in an array", "[[listen]]\naddress = ':1'\n[[listen]]\naddress = ':2'\nport = 3\n[[listen]]\naddress " +
		"= ':3'\n",
		"FILE:5: listen.port = 3: unknown key; allowed: address, mode, group, login, refuse_http, cert, key, client_ca, client_auth, min_tls in [listen]"},
	{"twice", "[[listen]]\naddress = ':1'\n[[listen]]\nmode = ''\naddress = ':1'\n",
		`FILE:5: listen.address = ":1": the same address as in line 2`},
	{"inline", "shards = 1\nlisten = [\n {address = ':1'},\n {address = 5},\n]\n",
		"FILE:2: listen.address = 5: this is a whole number; allowed: ADDRESSES"},
	{"port", "[[listen]]\naddress = '127.0.0.1:65536'\n",
		`FILE:2: listen.address = "127.0.0.1:65536": port 65536 is above 65535; allowed: ADDRESSES`},
	{"service", "[[listen]]\naddress = ':no-such-service'\n",
		`FILE:2: listen.address = ":no-such-service": "no-such-service" is neither a port number nor the name of a service; allowed: ADDRESSES`},
	{"IP", "[[listen]]\naddress = '127.0.0.300:1'\n",
		`FILE:2: listen.address = "127.0.0.300:1": "127.0.0.300" is neither an IP address nor a host name; allowed: ADDRESSES`},
	{"bare IPv6", "[[listen]]\naddress = '::1:11300'\n",
		`FILE:2: listen.address = "::1:11300": too many colons in address; allowed: ADDRESSES`},
	{"unix path", "[[listen]]\naddress = 'unix:'\n", `FILE:2: listen.address = "unix:": the path of the socket is ` +
		`missing; allowed: ADDRESSES`},
	{"long unix path", "[[listen]]\naddress = 'unix:/" + strings.Repeat("x", 107) + "'\n",
		`FILE:2: listen.address = "unix:/` + strings.Repeat("x", 54) +
			`...": the path has 108 bytes, a socket's can have 107; allowed: ADDRESSES`},
	{"mode of TCP", "[[listen]]\naddress = ':1'\nmode = '0600'\n",
		`FILE:3: listen.mode = "0600": only a unix socket has a mode, and :1 is not one; allowed: ""`},
	{"mode as number", "[[listen]]\naddress = 'unix:/s'\nmode = 660\n",
		`FILE:3: listen.mode = 660: this is a whole number; allowed: ` + someMode},
	{"mode not octal", "[[listen]]\naddress = 'unix:/s'\nmode = '0698'\n",
		`FILE:3: listen.mode = "0698": not octal digits; allowed: ` + someMode},
	{"mode too wide", "[[listen]]\naddress = 'unix:/s'\nmode = '1777'\n",
		`FILE:3: listen.mode = "1777": not the permissions of a socket; allowed: ` + someMode},
	{"after a value of several lines", "user = '''\nshards = 9\n'''\nloops = 'x'\n",
		"FILE:1: user = \"shards = 9\\u000A\": no such user\nFILE:4: loops = \"x\": this is text; allowed: 0 to 1024"},
	{"no TOML", "shards = 1\nloops =\n", "FILE:2: loops: not TOML: "},
	{"key twice", "shards = 1\nloops = 2\nshards = 2\n", "FILE:3: shards: not TOML: "},
	{"all of them", "shards = 'x'\n[log]\nlevel = 'loud'\ncolour = 1\n[[listen]]\naddress = 3\nmode = 4\nx = 5\n",
		"FILE:1: shards = \"x\": this is text; allowed: 0 to 254\n" +
			"FILE:3: log.level = \"loud\": unknown word; allowed: \"debug\", \"info\", \"notice\", \"warn\", \"error\"\n" +
			"FILE:4: log.colour = 1: unknown key; allowed: level, format, slow in [log]\n" +
			"FILE:6: listen.address = 3: this is a whole number; allowed: ADDRESSES\n" +
			"FILE:7: listen.mode = 4: this is a whole number; allowed: text from \"0001\" to \"0777\", or \"\" to leave it to the umask\n" +
			"FILE:8: listen.x = 5: unknown key; allowed: address, mode, group, login, refuse_http, cert, key, client_ca, client_auth, min_tls in [listen]"},
}

// Every mistake names file, line, key, value and what is allowed. All mistakes of a
// file are reported, in order.
func TestFileMistakes(t *testing.T) { checkMistakes(t, fileMistakes) }

func checkMistakes(t *testing.T, all []mistaken) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			got, _ := refused(t, "", c.text)
			got = strings.ReplaceAll(got, rowsOf(listenKey, new(Listen))[0].allowed, "ADDRESSES")
			if open := strings.HasSuffix(c.want, ": ") || strings.HasSuffix(c.want, "= "); got != c.want &&
				!(open && strings.HasPrefix(got, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Mistakes of flags are reported together with those of the file.
func TestFlagMistakes(t *testing.T) {
	for _, c := range []struct {
		args, file, want string
		code             int
	}{
		{"-p 65536", "", "-p 65536: port 65536 is above 65535", exit.Listen},
		{"-p no-such-service", "", `-p no-such-service: "no-such-service" is neither a port number nor the name of ` +
			`a service`, exit.Listen},
		{"-p -1", "", `-p -1: "-1" is not a port`, exit.Listen},
		{"-l 127.0.0.1:3", "", `-l 127.0.0.1:3: "127.0.0.1:3" is neither an IP address nor a host name`, exit.Listen},
		{"-l 1.2.3.4.5 -p 7", "", `-l 1.2.3.4.5 -p 7: "1.2.3.4.5" is neither an IP address nor a host name`,
			exit.Listen},
		{"-l unix:/" + strings.Repeat("x", 107), "", "-l unix:/" + strings.Repeat("x", 107) +
			": the path has 108 bytes, a socket's can have 107", exit.Listen},
		{"-p 1", "[[listen]]\naddress = ':2'\n[[listen]]\naddress = ':3'\n",
			"-p 1: the file has 2 TCP addresses, and -p can change only one; name the host too, with -l", exit.Listen},
		{"-p 1", "[[listen]]\naddress = 'unix:/s'\n",
			"-p 1: the file has 0 TCP addresses, and -p can change only one; name the host too, with -l", exit.Listen},
		{"-u no-such-user", "", "-u no-such-user: no such user", exit.NoUser},
		{"", "user = 'no-such-user'\n", `FILE:1: user = "no-such-user": no such user`, exit.NoUser},
		{"-p 65536 -b /no/such/dir", "loops = 'x'\n", "FILE:1: loops = \"x\": this is text; allowed: 0 to 1024\n" +
			"-p 65536: port 65536 is above 65535\n" +
			"-b /no/such/dir: no such directory: it must exist", exit.Usage},
		{"-b /no/such/dir", "", "-b /no/such/dir: no such directory: it must exist", exit.Storage},
		{"-b /dev/null", "", "-b /dev/null: not a directory", exit.Storage},
		{"", "storage = { backend = 'pebble', path = '/no/such/dir' }\n",
			`FILE:1: storage.path = "/no/such/dir": no such directory: it must exist`, exit.Storage},
		{"-config /no/such/file", "", "/no/such/file: cannot read the configuration: no such file or directory",
			exit.Usage},
		{"-config /", "", "/: cannot read the configuration: is a directory", exit.Usage},
	} {
		if got, code := refused(t, c.args, c.file); got != c.want || code != c.code {
			t.Errorf("%q: code %d\n%s\nwant %d\n%s", c.args, code, got, c.code, c.want)
		}
	}
}

func TestFindLines(t *testing.T) {
	const text = `# a comment
a = 1

[t]
b = [ # begins here
  1,
  # not a key = 1

  2 ]
c = """
[t2]
d = 1
"""
e.f = 2
[[x]]
g = 1
[[x]]
  [x.y]
  g = 2
`
	got := findLines(text)
	for key, want := range map[string][]int{
		"a": {2}, "t": {4}, "t.b": {5}, "t.c": {10}, "t.e": {14}, "t.e.f": {14},
		"x": {15, 17}, "x.g": {16}, "x.y": {18}, "x.y.g": {19},
	} {
		if !slices.Equal(got[key], want) {
			t.Errorf("%s is on %v, want %v", key, got[key], want)
		}
	}
	if len(got) != 10 {
		t.Errorf("found %v", got)
	}
}

// The time grows as the file does: when it grew with the square of the length, this took minutes.
func TestFindLinesOfManyTables(t *testing.T) {
	const tables = 5000
	got := findLines(strings.Repeat("[[access]]\nuid = 1\n\n", tables))
	for i := range tables {
		if got["access"][i] != 3*i+1 || got["access.uid"][i] != 3*i+2 {
			t.Fatalf("table %d begins on %d, with uid on %d", i, got["access"][i], got["access.uid"][i])
		}
	}
}
