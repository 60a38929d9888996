// Package house holds the rules that every file of beanfield keeps, as tests.
//
//	go test ./tools/house
//
// Each complaint names the file, the line, the rule by its number, and what the
// rule wants. The rules themselves are tested with small sources that break them
// (broken_test.go).
//
//	H1  Imports run one way. A package has a floor (floors in imports_test.go), and
//	    imports only what lies below it; what is on the same floor are neighbours,
//	    which do not know each other. That is what keeps the faces apart. Nothing
//	    but tools imports tools; a tool keeps what is below its own directory to
//	    itself, and shares what lies directly below tools.
//	H2  What comes from outside the house comes in through one door: Pebble in
//	    storage/pebblestore, TOML in cmd, xxhash in router, the network in conn, cmd
//	    and tools, HTTP in the faces that speak it and in cmd.
//	H3  The queue, shard/queue, is pure. It may import only what computes (pure in
//	    pure_test.go): no clock, no lock, no file, no network. It starts no goroutine
//	    and has no channel, and prints nothing. Its tests are not bound by this.
//	H4  A file has at most 400 lines, a function at most 60, tests included.
//	H5  Every package has a doc.go with its package comment, and no other file has
//	    one: a newcomer knows where to start.
//	H6  No package is called util, common, helpers or the like: a name says what a
//	    package is about.
//	H7  The top level holds what topLevel in layout_test.go lists, each entry with its
//	    reason.
//	H8  Tests do not sleep to let something happen. Those that run on the false clock
//	    of testing/synctest may; so may those that sleeps in layout_test.go lists with
//	    their reasons.
//	H9  A file or directory that a comment or a README names exists.
//	H10 A line of the log has an error under the key "error", and no other.
//	H11 make fuzz runs every fuzz target there is.
package house
