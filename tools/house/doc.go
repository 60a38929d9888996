// Package house holds the rules that every file of beanfield keeps, as tests. What is where, and
// how a command goes through the code, is in tools/GUIDE.md.
//
// # The rules
//
//	go test ./tools/house
//
// Each complaint names the file, the line and the rule, and says what the rule wants. The rules themselves are
// tested with small sources that break them (broken_test.go).
//
//	H1  Imports run one way. A package has a floor (floors in imports_test.go), and
//	    imports only packages on lower floors. Packages on the same floor do not import each other, which
//	    keeps the front ends apart. Nobody imports the process (cmd/beanfield), but tools may import
//	    packages below its directory: a release or a manual page is made from its table of commands. Only
//	    tools import tools: packages below a tool's own directory are for that tool alone, those directly
//	    below tools are for all of them.
//	H2  Libraries, the network and HTTP are imported only where "doors" in imports_test.go says: Pebble
//	    in storage/pebblestore and storage/locallog, NATS in storage/jetstream and storage/cluster, TOML
//	    in cmd and tools/bench/compare, the network in conn, cmd, tools and where NATS is, HTTP in the
//	    front ends that speak it, in cmd, and in tools that need it.
//	H3  The queue, shard/queue with its cells, is pure. It may import only packages that compute (pure in
//	    pure_test.go): no clock, no lock, no file, no network. It starts no goroutine, has no channel, and
//	    prints nothing. Its tests may.
//	H4  A file has at most 400 lines, a function at most 60, tests included. README.md has at most 220: it
//	    is for users, and the manual has the details.
//	H5  Every package has a doc.go with its package comment, and no other file has
//	    one: a newcomer knows where to start. The map in tools/GUIDE.md has a line for each package,
//	    except tools and packages that only tests use.
//	H6  No package is called util, common, helpers or the like: a name says what a
//	    package is about.
//	H7  The top level holds what topLevel in layout_test.go lists, each entry with its
//	    reason.
//	H8  Tests do not sleep to let something happen. Exceptions are tests on the fake
//	    clock of testing/synctest, and those listed with their reasons under "sleeps"
//	    in layout_test.go.
//	H9  A file or directory that a comment or a README names exists, and so does what tools/GUIDE.md
//	    says is declared in it.
//	H10 A log line has its error under the key "error", and under no other key.
//	H11 make fuzz runs every fuzz target in the tree.
//	H12 An invariant has one name: one doc.go states it, and comments, panics and errors cite
//	    no others. The comment of a test that fails without it cites it.
//	H13 A room (a directory with its packages, as weight_test.go lists them) has no more identifiers than
//	    weight_test.go allows, and so do its tests: growth is a decision that somebody writes down. Nor
//	    may it have far fewer, so that the limit falls with the code.
package house
