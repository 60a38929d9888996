// Package house holds the rules that every file of beanfield keeps, as tests. What is where, and
// how a command goes through the code, is in tools/GUIDE.md.
//
// # The rules
//
//	go test ./tools/house
//
// Each complaint names the file, the line, the rule by its number, and what the
// rule wants. The rules themselves are tested with small sources that break them
// (broken_test.go).
//
//	H1  Imports run one way. A package has a floor (floors in imports_test.go), and
//	    imports only packages on lower floors. Packages on the same floor do not
//	    import each other, which keeps the front ends apart. Nobody imports the process, but
//	    tools may import what lies below its directory: a package or a manual page is
//	    made from the table of its commands. Only tools import tools:
//	    packages below a tool's own directory are for that tool alone, those
//	    directly below tools are for all of them.
//	H2  What comes from outside the house comes in through one door: Pebble in
//	    storage/pebblestore and storage/locallog, NATS in storage/jetstream and storage/cluster, TOML in
//	    cmd, xxhash in router and where records, files and stores are hashed (storage/turns,
//	    storage/locallog, storage/cluster/transfer, storage/pebblestore/format), the network in conn, cmd, tools,
//	    storage/jetstream and storage/cluster, HTTP in the
//	    front ends that speak it and in cmd, WebSocket and protobuf in conn/queueservice. Clients in
//	    tools/clients may use what clients use, and tools/bench/profile asks for profiles.
//	H3  The queue, shard/queue with its cells, is pure. It may import only what computes (pure in
//	    pure_test.go): no clock, no lock, no file, no network. It starts no goroutine
//	    and has no channel, and prints nothing. This does not apply to its tests.
//	H4  A file has at most 400 lines, a function at most 60, tests included. README.md has at
//	    most 220: it is for users, and details are in the manual.
//	H5  Every package has a doc.go with its package comment, and no other file has
//	    one: a newcomer knows where to start. The map in tools/GUIDE.md has a line for each, but
//	    for tools and for packages that only tests use.
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
//	H13 A room weighs no more identifiers than weight_test.go allows it, and its tests likewise: growth
//	    is a decision that somebody writes down. Nor does it weigh much less: what has been taken away
//	    stays away.
package house
