package house

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"beanfield/storage/must"
)

// H1 to H12: each rule notices what breaks it, and nothing else: small houses, with the
// beginning of every complaint that is due. A source without a package clause is the body of
// one.
func TestBrokenRules(t *testing.T) {
	for _, c := range brokenHouses {
		t.Run(c.rule+" "+c.path, func(t *testing.T) {
			h := must.Get(open(c.fsys()))
			i := slices.IndexFunc(rules, func(r rule) bool { return r.number == c.rule })
			got := complaints(func(c complaint) { rules[i].broken(h, c) })
			var want []string
			if c.complaints != "" {
				want = strings.Split(c.complaints, "\n")
			}
			if !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// brokenHouse is one file in a house that is in order but for it.
type brokenHouse struct {
	rule, path, text string // a text of "imports a b" is a file with these
	complaints       string // how each begins, a line each
}

func (b *brokenHouse) fsys() fstest.MapFS {
	fsys := fstest.MapFS{
		"shard/doc.go":  {Data: []byte("// Package shard is described.\npackage shard\n")},
		"shard/turn.go": {Data: []byte("package shard\n")},
		"Makefile":      {Data: []byte("\tgo test ./shard -run '^$$' -fuzz '^FuzzA$$' -fuzztime 1x\n")},
		"shard/a_test.go": {Data: []byte("package shard_test\n\nimport _ \"beanfield/shard\"\n" +
			"func TestLong() { testing.Short() }\nfunc TestLonger() { brief() }\nfunc brief() { testing.Short() }\n")},
	}
	text := b.text
	if names, ok := strings.CutPrefix(text, "imports "); ok {
		text = "import _ \"" + strings.ReplaceAll(names, " ", "\"\nimport _ \"") + "\"\n"
	}
	if strings.HasSuffix(b.path, ".go") && !strings.Contains(text, "package ") {
		text = "package p\n" + text
	}
	fsys[b.path] = &fstest.MapFile{Data: []byte(text)}
	return fsys
}

func lines(n int) string { return strings.Repeat("\n", n) }

var brokenHouses = []brokenHouse{
	{"H1", "conn/conn.go", "imports beanfield/router beanfield/shard beanfield/shard/queue beanfield/storage",
		""},
	{"H1", "conn/beanstalk/a.go", "imports beanfield/conn", ""},
	{"H1", "conn/beanstalk/a.go", "imports beanfield/conn/admin",
		"conn/beanstalk/a.go imports conn/admin: neighbours"},
	{"H1", "conn/conn.go", "imports beanfield/conn/beanstalk",
		"conn/conn.go imports conn/beanstalk: imports run"},
	{"H1", "cmd/beanfield/main.go", "imports beanfield/conn/beanstalk beanfield/storage/pebblestore", ""},
	{"H1", "router/a.go", "imports beanfield/cmd/beanfield", "router/a.go imports cmd/beanfield: nobody"},
	{"H1", "router/a.go", "imports beanfield/cmd/beanfield/listing",
		"router/a.go imports cmd/beanfield/listing: imports run"},
	{"H1", "cmd/beanfield/listing/a.go", "imports beanfield/cmd/beanfield/manual",
		"cmd/beanfield/listing/a.go imports cmd/beanfield/manual: neighbours"},
	{"H1", "cmd/beanfield/command/a.go", "imports beanfield/conn/beanstalk/client beanfield/storage/pebblestore",
		""},
	{"H1", "conn/a.go", "imports beanfield/conn/beanstalk/client",
		"conn/a.go imports conn/beanstalk/client: only cmd, tools"},
	{"H1", "conn/a_test.go", "imports beanfield/conn/beanstalk/client", ""},
	{"H1", "tools/package/a.go", "imports beanfield/cmd/beanfield/command", ""},
	{"H1", "shard/queue/a.go", "imports beanfield/shard", "shard/queue/a.go imports shard: imports run"},
	{"H1", "shard/a.go", "imports beanfield/shard/queue beanfield/router",
		"shard/a.go imports router: imports run"},
	{"H1", "storage/a.go", "imports beanfield/storage/pebblestore",
		"storage/a.go imports storage/pebblestore: imports run"},
	{"H1", "router/a.go", "imports beanfield/storage/pebblestore",
		"router/a.go imports storage/pebblestore: only cmd, tools"},
	{"H1", "router/a_test.go", "imports beanfield/storage/pebblestore", ""},
	{"H1", "router/a.go", "imports beanfield/tools/bench", "router/a.go imports tools/bench: only tools"},
	{"H1", "tools/bench/a.go", "imports beanfield/storage beanfield/tools/bench/load beanfield/tools/launch",
		""},
	{"H1", "tools/bench/load/a.go", "imports beanfield/tools/bench/chart", ""},
	{"H1", "tools/crash/a.go", "imports beanfield/tools/bench/load",
		"tools/crash/a.go imports tools/bench/load: it belongs"},
	{"H1", "tools/crash/a.go", "imports beanfield/cmd/beanfield",
		"tools/crash/a.go imports cmd/beanfield: nobody"},
	{"H1", "shard/a_test.go", "imports beanfield/shard/queue/queuetest", ""},
	{"H1", "shard/a.go", "imports beanfield/shard/queue/queuetest",
		"shard/a.go imports shard/queue/queuetest: only tests"},
	{"H1", "shard/heap/a.go", "imports fmt", "shard/heap/a.go: package shard/heap has no floor"},
	{"H1", "router/a.go", "imports beanfield/shard/heap", "router/a.go imports shard/heap: it has no floor"},

	{"H2", "conn/beanstalk/a.go", "imports net net/netip", ""},
	{"H2", "tools/bench/a.go", "imports net", ""},
	{"H2", "router/a.go", "imports net nets network", "router/a.go imports net: only conn"},
	{"H2", "conn/beanstalk/a.go", "imports net/http",
		"conn/beanstalk/a.go imports net/http: only conn/queueservice"},
	{"H2", "shard/a_test.go", "imports net/http", "shard/a_test.go imports net/http: only conn, cmd\nshard/a_test.go imports net/http: only conn/queueservice"},
	{"H2", "conn/admin/a.go", "imports net/http", ""},
	{"H2", "storage/a.go", "imports github.com/cockroachdb/pebble/v2/vfs",
		"storage/a.go imports github.com/cockroachdb/pebble/v2/vfs: only storage/pebblestore"},
	{"H2", "storage/pebblestore/a.go", "imports github.com/cockroachdb/pebble/v2 github.com/cockroachdb/errors",
		""},
	{"H2", "conn/a.go", "imports github.com/BurntSushi/toml",
		"conn/a.go imports github.com/BurntSushi/toml: only cmd"},
	{"H2", "cmd/beanfield/a.go", "imports github.com/BurntSushi/toml", ""},
	{"H2", "shard/a.go", "imports github.com/cespare/xxhash/v2",
		"shard/a.go imports github.com/cespare/xxhash/v2: only router"},
	{"H2", "router/a.go", "imports github.com/cespare/xxhash/v2", ""},

	{"H3", "shard/queue/a.go", "imports math/bits beanfield/storage", ""},
	{"H3", "shard/queue/a.go", "imports time", "shard/queue/a.go imports time"},
	{"H3", "shard/queue/a.go", "imports sync", "shard/queue/a.go imports sync"},
	{"H3", "shard/queue/a.go", "imports sync/atomic", "shard/queue/a.go imports sync/atomic"},
	{"H3", "shard/queue/a.go", "imports os", "shard/queue/a.go imports os"},
	{"H3", "shard/queue/a.go", "imports beanfield/storage/pace",
		"shard/queue/a.go imports beanfield/storage/pace"},
	{"H3", "shard/queue/a_test.go", "imports time", ""},
	{"H3", "shard/queue/cells/a.go", "imports time", "shard/queue/cells/a.go imports time"},
	{"H3", "shard/a.go", "imports time", ""},
	{"H3", "shard/queue/a.go", "func f() { go f() }", "shard/queue/a.go:2: starts"},
	{"H3", "shard/queue/a.go", "func f() { _ = make(chan int) }", "shard/queue/a.go:2: has a channel"},
	{"H3", "shard/queue/a.go", "func f(d interface{ Done() <-chan int }) { <-d.Done() }", "shard/queue/a.go:2: has\nshard/queue/a.go:2: receives"},
	{"H3", "shard/queue/a.go", "func f() { c <- 1 }", "shard/queue/a.go:2: sends"},
	{"H3", "shard/queue/a.go", "func f() { select {} }", "shard/queue/a.go:2: waits"},
	{"H3", "shard/queue/a.go", "import \"fmt\"\nfunc f() { fmt.Println(fmt.Sprint()); println() }",
		"shard/queue/a.go:3: prints\nshard/queue/a.go:3: prints"},

	{"H4", "shard/long.go", lines(399), ""},
	{"H4", "shard/long.go", lines(400), "shard/long.go has 401 lines"},
	{"H4", "shard/a.go", "// " + strings.Repeat("x", 117) + "\n", ""},
	{"H4", "shard/a.go", "// " + strings.Repeat("x", 118) + "\n", "shard/a.go:2: 121 columns"},
	{"H4", "shard/a.go", "var a = `\n" + strings.Repeat("x", 121) + "\n`\n", ""},
	{"H4", "README.md", lines(220), ""},
	{"H4", "README.md", lines(221), "README.md has 221 lines"},
	{"H4", "shard/README.md", lines(221), ""},
	{"H4", "shard/long_test.go", lines(400), "shard/long_test.go has 401 lines"},
	{"H4", "shard/a.go", "func f() {" + lines(59) + "}\n", ""},
	{"H4", "shard/a.go", "func f() {" + lines(60) + "}\n", "shard/a.go:2: f has 61 lines"},
	{"H4", "shard/a_test.go", "func TestF() { g(func() {" + lines(60) + "}) }\n",
		"shard/a_test.go:2: TestF has 61 lines"},
	{"H4", "shard/a.go", "var f = func() {" + lines(60) + "}\n", "shard/a.go:2: a function literal has 61 lines"},
	{"H4", "shard/a.go", "// f is described." + lines(60) + "func f() {" + lines(59) + "}\n", ""},

	{"H5", "router/a.go", "package router", "package router has no doc.go"},
	{"H5", "router/a.go", "// Package router is.\npackage router", "router/a.go:1: a package comment\npackage router has no doc.go"},
	{"H5", "router/doc.go", "package router", "package router has no doc.go"},
	{"H5", "shard/a.go", "// Package shard is.\npackage shard", "shard/a.go:1: a package comment"},

	{"H5", "tools/GUIDE.md", "# The house\n\n    shard  runs a queue\n", ""},
	{"H5", "tools/GUIDE.md", "# The house\n\n    shards  run queues\n", "package shard has no line"},

	{"H6", "shard/util/a.go", "", "package shard/util"},
	{"H6", "tools/helpers/a.go", "", "package tools/helpers"},

	{"H7", "router/a.go", "", ""},
	{"H7", "stray.txt", "", "stray.txt at the top"},
	{"H7", "pkg/a.go", "", "pkg at the top"},

	{"H8", "shard/a_test.go", "import \"time\"\nfunc f() { time.Sleep(1) }",
		"shard/a_test.go:3: a test that sleeps"},
	{"H8", "shard/a.go", "import \"time\"\nfunc f() { time.Sleep(1) }", ""},
	{"H8", "shard/a_test.go", "import \"time\"\nimport _ \"testing/synctest\"\nfunc f() { time.Sleep(1) }", ""},

	{"H9", "shard/a.go", "// See turn.go and doc.go, shard/turn.go, and *_test.go.", ""},
	{"H9", "shard/a.go", "// See none.go.", "shard/a.go:2 names none.go"},
	{"H9", "router/a.go", "/*\nSee turn.go. */", "router/a.go:2 names turn.go"},
	{"H9", "README.md", "First `shard/doc.go`, then `turn.go`.\nSee [that](shard) and `./shard/turn.go`, in " +
		"shard/turn.go.", ""},
	{"H9", "README.md", "First `shard/doc.go`,\nthen `none.go`.", "README.md:2 names none.go"},
	{"H9", "README.md", "Run ./tools/none or `shard/none`.", "README.md:1 names tools/none\nREADME.md:1 names shard/none"},
	{"H9", "shard/README.md", "See [that](turn.go), [this](none.md) and [others](https://a.b/c).",
		"shard/README.md:1 names none.md"},
	{"H9", "tools/GUIDE.md", "`TestLong` (`shard/a_test.go`), `brief` in `a_test.go`, `testing` in `a_test.go` " +
		"and\n`TestLonger` of `shard.TestLong`.", ""},
	{"H9", "tools/GUIDE.md", "`testing` (`shard/a_test.go`), `TestLong`\nin `shard/turn.go`, `State.Gone`.",
		"tools/GUIDE.md says that testing is in shard/a_test.go\ntools/GUIDE.md says that TestLong is in shard/turn.go\ntools/GUIDE.md names State.Gone"},

	{"H10", "shard/a.go", "func f() { log.Warn(\"it broke\", \"error\", err) }", ""},
	{"H10", "shard/a.go", "func f() { log.With(1).Warn(\"it broke\", 1, \"err\", err) }", "shard/a.go:2: the key"},
	{"H10", "shard/a.go", "func f() { log.Info(\"it broke\", slog.Any(\"err\", err)) }", "shard/a.go:2: the key"},

	{"H11", "Makefile", "", ""},
	{"H11", "shard/b_test.go", "func FuzzB() {}", "shard/b_test.go:2: FuzzB is not run"},
	{"H11", "shard/b_test.go", "func FuzzA() {}", ""},
	{"H11", "router/b_test.go", "func FuzzA() {}", "router/b_test.go:2: FuzzA is not run"},
	{"H11", "shard/b.go", "func FuzzB() {}", ""},

	{"H12", "router/doc.go", "// Package router is.\n//\n//\tX1  One.\n//\tX2 Two, as Y1.\n//\n// Y1: one.\n//\n// " +
		"# Invariant Z1: one\npackage router",
		"router/doc.go states X1, and no\nrouter/doc.go states X2, and no\nrouter/doc.go states Y1, and no\nrouter/doc.go states Z1, and no"},
	{"H12", "shard/doc.go", "// Package shard has X1.\n//\n// X1: one.\n//\n//\tX1  one.\npackage shard",
		"shard/doc.go states X1, as shard/doc.go does\nshard/doc.go states X1, and no"},
	{"H12", "shard/a.go", "// See X1 and P99.\nfunc f() { panic(\"X2, X3: broken\"); panic(\"of X4\") }",
		"shard/a.go:2 cites X1, which\nshard/a.go:3 cites X2, which\nshard/a.go:3 cites X3, which"},
	{"H12", "shard/b_test.go", "// X1 to X3, and Y2 to Z4.\nfunc TestB() {}",
		"shard/b_test.go:2 cites X1\nshard/b_test.go:2 cites X2\nshard/b_test.go:2 cites X3\nshard/b_test.go:2 cites Z4\nshard/b_test.go:2 cites Y2"},
}

// H12: of two that are stated, the comment of a test cites one.
func TestCitations(t *testing.T) {
	h, err := open(fstest.MapFS{
		"shard/doc.go": {Data: []byte("// Package shard is.\n//\n//\tX1  One.\n//\tX2  Two.\n//\tX3  " +
			"Three.\npackage shard\n")},
		"shard/a_test.go": {Data: []byte("package shard\n\n// kit has X2.\nfunc kit() {}\n\n// X1, and\n// " +
			"X3.\nfunc FuzzA() {}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := complaints(func(c complaint) { unnamed(h, c) }); !slices.Equal(got,
		[]string{"shard/doc.go states X2, and no test cites it"}) {
		t.Errorf("%q", got)
	}
}
