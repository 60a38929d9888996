// Package house holds the rules that every file of beanfield keeps, as tests, and the map of
// the source: this page.
//
// # The house
//
//	cmd/beanfield             the process: flags, configuration, signals, start and stop
//	cmd/beanfield/command     its subcommands, in one table
//	cmd/beanfield/manual      the pages of beanfield help TOPIC
//	cmd/beanfield/binlog      beanstalkd's binlogs, for import
//	cmd/beanfield/datadir     data directories without a server: dump, salvage, check
//	cmd/beanfield/listing     how import and dump list jobs
//	    |
//	conn                      lets clients in: listeners, limits, who is connected
//	conn/beanstalk            the beanstalk protocol: event loops, connections, the table of commands
//	conn/beanstalk/protocol   how its lines and replies are written
//	conn/beanstalk/socket     the poller of an event loop, and TLS over its sockets
//	conn/beanstalk/client     a client of it, for subcommands, tools and tests
//	conn/queueservice         the queue service: HTTP, WebSocket, pushes to consumers
//	conn/admin                HTTP for administrators: health, metrics
//	conn/admin/console        the console: pages, and the JSON interface that they use
//	conn/admin/history        the history of the charts
//	conn/hall                 receives the clients of front ends over HTTP, and finds out who they are
//	conn/audit                the audit log
//	conn/slow                 which commands took long, and what they waited for
//	conn/access               who may do what: rules, rights, tokens
//	conn/secure               TLS: certificates, handshakes
//	    |
//	router                    tube -> shard, job -> shard, ids, reserve over several shards
//	    |
//	shard                     runs a queue among goroutines, without a lock
//	shard/stack               hands things from goroutine to goroutine without a lock
//	shard/queue               the queue itself: tubes, heaps, jobs, waiters, consumers, groups
//	shard/queue/cells         its containers: slabs, heaps, lists
//	    |
//	storage                   what a shard needs of its log; jobs in memory only
//	storage/pebblestore       jobs on disk, with Pebble
//	storage/pebblestore/database  how Pebble's databases are opened, and what becomes of errors
//	storage/pebblestore/directory  what lies in its data directory, and which part counts
//	storage/pebblestore/format    the bytes of its keys and values, and of the manifest
//	storage/pebblestore/repair    what is wrong with a store's files, and what is left of them
//	storage/pebblestore/ondisk  reads the manifest of a Pebble database without opening it
//	storage/locallog          the log of a shard's turns, in files of this machine
//	storage/fold              what is left of turns that a log has and a store does not
//	storage/turns             how such a log's records, and the operations in them, are encoded
//	storage/pace              lets other threads run during long work
//	storage/tally             counts for the metrics
//	storage/must              ends a test whose preparations fail
//
//	tools                     for developers and packagers; alert rules and a dashboard
//
// Imports run one way, down this list (H1).
//
// # Reading the source
//
// Each package's doc.go states its invariants by number; comments and tests cite them.
//
//  1. shard/queue/doc.go, then shard/queue/op.go, shard/queue/state.go, shard/queue/places.go
//     and shard/queue/jobops.go: the queue's rules, without any concurrency.
//  2. shard/queue/reserve.go and shard/queue/wait.go: how a job finds its worker.
//  3. shard/doc.go and shard/shard.go: who runs the queue, and why that needs no lock.
//  4. router/doc.go, then router/session.go, router/script.go and router/reserve.go: reserve
//     over several shards.
//  5. conn/doc.go: how clients come in. Then conn/beanstalk/doc.go, conn/beanstalk/table.go,
//     conn/beanstalk/serve.go, conn/beanstalk/turn.go, conn/beanstalk/exec.go and
//     conn/beanstalk/submit.go: from bytes to operations and back.
//  6. conn/queueservice/doc.go, conn/queueservice/watch.go and conn/queueservice/writer.go;
//     then shard/queue/items_consumer.go, shard/queue/items_push.go, shard/queue/items_commit.go and
//     shard/queue/items_view.go: how items are pushed.
//  7. storage/doc.go and storage/storage.go: what a shard expects of its log. Then
//     storage/pebblestore/doc.go, storage/pebblestore/log.go and
//     storage/pebblestore/committer.go: what is written, and when it is safe.
//  8. conn/access/doc.go: rules and rights. conn/secure/doc.go, then "TLS" in
//     conn/beanstalk/doc.go and conn/beanstalk/socket/tls.go: TLS in an event loop.
//  9. conn/admin/doc.go and conn/admin/metrics.go: health and metrics. Then
//     conn/admin/console/doc.go: the console.
//  10. cmd/beanfield/doc.go and cmd/beanfield/run.go: how the server is put together. Then
//     cmd/beanfield/command/doc.go and cmd/beanfield/command/table.go: the commands.
//
// # The goroutines, and what each owns
//
//	accepting          one for each listener (conn/accept.go): its listening socket
//	event loop         one for each core but one (conn/beanstalk/loop.go): its epoll instance,
//	                   its connections, their buffers and timers
//	HTTP               one for each connection over HTTP that is no WebSocket (net/http): its
//	                   connection
//	reader, writer     one of each for every WebSocket (conn/queueservice/consumer.go): what
//	                   comes in; what is written
//	handshake          one for each TLS handshake, until it is made
//	                   (conn/beanstalk/socket/handshake.go, conn/hall/welcome.go): the
//	                   connection's TLS state
//	audit              one, with an audit log (conn/audit/writer.go): the file that it writes
//	certificates       one (conn/secure/keeper.go): what the files held when it last read them
//	history            one, with [http] (conn/admin/history): the history of the charts, of
//	                   which it takes a sample each 10 s
//	shard              one for each shard (shard/shard.go): the shard, while it serves
//	                   deadlines or a long mailbox
//	relief             one from time to time, with sync always (conn/beanstalk/pay.go):
//	                   nothing; it starts a stand-in for a loop whose push takes long
//	body reader        one for each turn that needs bodies from disk (shard/away.go): the
//	                   answers of that turn
//	committer          one for each shard on disk (storage/pebblestore/committer.go): the group
//	                   of turns that it is writing
//	fold               one for each shard on disk (storage/pebblestore/folding.go): the share
//	                   that it is making, and the place of the store
//	body writer        one for each large body that arrives; one at a time writes
//	                   (storage/pebblestore/stager.go): the body until it is on disk
//	scan               one for each shard on disk, while its jobs are replayed
//	                   (storage/pebblestore/relay.go): the load of jobs that it is filling
//	sync timer         one for each shard, with sync interval
//	                   (storage/pebblestore/synctimer.go): nothing
//	housekeeping       two (storage/pebblestore/store.go): nothing; one watches the free space,
//	                   one compacts
//	signals            one (cmd/beanfield/signals.go): nothing; it acts on signals
//	watchdog           one, if systemd asks for it (cmd/beanfield/watchdog.go): nothing; it
//	                   checks shards and loops, and tells systemd
//
// An event loop that finds a shard idle takes it with one compare-and-swap, runs its commands
// in place and gives it back. If the shard is busy, the commands wait in its mailbox, and the
// loop serves other connections until they are answered. Pebble has goroutines of its own for
// flushes and compactions.
//
// # Dependencies
//
//	github.com/cockroachdb/pebble/v2         the log of each shard
//	github.com/cockroachdb/errors            finding the name of a damaged file in Pebble's errors
//	github.com/cespare/xxhash/v2             tube -> shard; hashes of records
//	github.com/BurntSushi/toml               the configuration file
//	github.com/prometheus/client_golang      metrics of Go's runtime and the process, and of
//	                                         everything but tubes
//	github.com/prometheus/client_model       the metrics of tubes, made without client_golang
//	                                         because there may be many
//	github.com/prometheus/common             writing metrics in the formats that Prometheus reads
//	github.com/gobwas/ws                     WebSocket handshakes and frames, without buffers or
//	                                         goroutines of its own
//	google.golang.org/protobuf               encoding the queue service's frames, with its
//	                                         package protowire; tests of the metrics
//	go.yaml.in/yaml/v3                       tests only: reading the replies of stats
//	golang.org/x/net                         tests and tools/clients only: the WebSocket client
//	                                         that the queue service's Go SDK uses
//	pgregory.net/rapid                       tests only: random command sequences that shrink and
//	                                         repeat from a seed
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
//	    storage/pebblestore and storage/locallog, TOML in cmd, xxhash in router and where
//	    records are hashed (storage/turns, storage/locallog), the network in conn, cmd and
//	    tools, HTTP in the front ends that speak it and in cmd, WebSocket and protobuf
//	    in conn/queueservice. Clients in tools/clients may use what clients use.
//	H3  The queue, shard/queue with its cells, is pure. It may import only what computes (pure in
//	    pure_test.go): no clock, no lock, no file, no network. It starts no goroutine
//	    and has no channel, and prints nothing. This does not apply to its tests.
//	H4  A file has at most 400 lines, a function at most 60, tests included. README.md has at
//	    most 300: it is for users, and details are in the manual.
//	H5  Every package has a doc.go with its package comment, and no other file has
//	    one: a newcomer knows where to start.
//	H6  No package is called util, common, helpers or the like: a name says what a
//	    package is about.
//	H7  The top level holds what topLevel in layout_test.go lists, each entry with its
//	    reason.
//	H8  Tests do not sleep to let something happen. Exceptions are tests on the fake
//	    clock of testing/synctest, and those listed with their reasons under "sleeps"
//	    in layout_test.go.
//	H9  A file or directory that a comment or a README names exists.
//	H10 A log line has its error under the key "error", and under no other key.
//	H11 make fuzz runs every fuzz target in the tree.
//	H12 make thorough runs every test that has a shorter form (it asks testing.Short, which
//	    make test has set), and no other. A shorter form does something: it is no skip.
//	H13 Inside a room that rooms_test.go lists, files have layers, and refer to nothing in a
//	    higher layer, but for what the list allows. Its tests may look everywhere.
//	H14 An invariant has one name: one doc.go states it, and comments, panics and errors cite
//	    no others. The comment of a test that fails without it cites it.
package house
