// Command beanfield is the work queue server as a process: sockets, signals, a clean start and stop. It holds no logic
// of the queue. Its subcommands, with which people work with a server or a data directory, are in package command.
//
// # Where to start reading
//
// Package config reads flags and file, and knows all settings. Package exit has the exit codes.
// Package listeners opens the sockets, and package node has the shards, alone or in a cluster. main.go is the life of
// the process from top to bottom, and runs subcommands. What it uses:
//
//	recovery.go    opening the store, until the last job is back, and telling why a start takes long
//	life.go        from then on to the end: one term, or following and terms in turn
//	passing.go     how clients of a node that does not serve are passed on
//	frontends.go   what all ways of serving clients need, and the HTTP side
//	service.go     the front ends of one term
//	serve.go       from the first connection to the last reply, and what each signal asks for
//	reload.go      reading the configuration again
//	backup.go      copies of the data while the server runs
//	metrics.go     where the figures of the metrics come from
//	console.go     what the console is given, and the file of the audit log
//	health.go      why clients cannot work at the moment, and what is shown of a cluster
//	systemd.go     telling systemd the state of the process, and that shards and loops make progress
//	version.go     which version this is, made from which commit, and what formats it writes
//	garbage.go     how much garbage the heap may hold
//	policies.go    policies and schedules, those of run time with them
//
// # Exit codes
//
// They are beanstalkd's where it has one; those of subcommands are in command/doc.go:
//
//	0    after -h, -v, -check-config without mistakes, or a clean stop
//	1    the server ended by itself, or could not stop in time
//	5    a wrong flag, or a mistake in the configuration
//	10   the data directory is missing, in use, of a newer version, or not beanfield's; or a cluster refuses
//	     this node
//	32   the user to become could not be looked up
//	33   there is no such user
//	34   the process could not become that user
//	111  an address cannot be bound, or a socket cannot be inherited
//	128+n  a second SIGTERM or SIGINT (signal n) cut the clean stop short
//
// No socket and no file is touched before flags and configuration have been checked.
// That the data directory and the user exist is part of the check, so -check-config
// reports it too if they do not.
//
// # The start
//
// Sockets are bound first, since that may need root. Then the process becomes its user, so
// that the data belong to that user. Then it opens the store and recovers the jobs. Only then
// does it serve, and send READY=1 to systemd; clients that connect earlier wait. Only the front end
// for administrators serves as soon as the addresses are bound, so that a supervisor can see
// that jobs are being recovered. If a recovery takes more than a second, the log reports it at
// notice, with the progress that storage and router report every second, and the process asks
// systemd for more time. If the whole start takes more than five seconds, the log says which
// steps are under way (package storage's Steps), again after 15, 35 and 75 and then every 60,
// and at the end which took longest. SIGTERM ends a recovery at once, with code 0: that is as
// safe as a kill.
//
// # A node of a cluster
//
// One machine has one term, which lasts as long as the process. A node follows until it has
// the shards, serves during a term, and follows again, in the same process (life.go). What lasts
// is in fronts: the HTTP side, which answers all the time, rules, certificates, the audit log
// and the list of slow commands. What belongs to a term is in a service, which is made and
// thrown away as a whole. So uptime, counts and the history of the charts begin anew with each.
//
// All addresses are open all the time. Their clients are a forwarder's (package forward), which passes them on to the
// node that serves, or gives them to this process' own service (passing.go). The link, to which other nodes pass
// clients on, is opened before the node starts. All clients are counted by the acceptor of the process. What must
// always hold: a service is given nobody before its front ends are there and the term may answer, nor after its front
// ends begin to close down (passing.local). One that comes too early or too late waits.
//
// When a term is lost (fronts.Leave), in this order: the clients are cut, which waits for nobody; the service is given
// nobody any more, which waits for the forwarder's loops and for who is being handed over; the front ends close down.
// The last two could not change places: a client that is given to front ends which have ended would never be closed.
// The first does not depend on them: front ends that go on can be cut, and one who comes in between is closed by the
// third. Such a client gets no answer about jobs either: the store of a term that is lost acknowledges nothing.
//
// With cluster.forward = false a client goes through its list of hosts, so a node that follows must refuse it at
// once. At the start all addresses are bound, so that mistakes are seen then, as the node's user if it has one.
// TCP addresses are closed again until a term begins. Unix sockets, and sockets of systemd, stay open, because the
// process could lack the right to make them anew: while it follows, it accepts their clients and closes the
// connections.
//
// A term ends in order if another node is to serve: connections get their replies, and the router
// is closed. It ends at once if it is lost: connections are cut, and nothing waits for the log.
// Both are limited as a clean stop is: if something hangs, the process ends with code 1, which hands
// over too. A term that is lost during the recovery is thrown away after it. A stop of the process
// ends a term in order and then the node, which hands over.
//
// "beanfield cluster" asks the running node over a socket in the data directory (package control), from
// before it has found the others.
//
// systemd hears READY=1 when the node follows for the first time. A reload, and drain mode, concern
// the terms to come as well. A follower makes no backups.
//
// # Signals
//
//	SIGTERM, SIGINT  stop cleanly: flush replies, sync and close the logs
//	SIGUSR1          drain mode: no more jobs are accepted
//	SIGUSR2          make a backup in storage.backup_path
//	SIGHUP           read the configuration and the certificates again
//
// A reload reads the file as the start does, and flags win over it as they do then. The
// tables of package config say which keys change. All new settings are
// checked and made ready first (reloader, fronts.change). Only then does each part get its
// new settings, as a whole behind an atomic pointer, so that a job pays at most for one more
// load. If anything is wrong, nothing changes. Reloads run on the goroutine that serves
// signals, so two never run at a time, and none runs during the end. If signals come during a
// reload, one of them is remembered.
//
// By default the log says which signal ended the process, whatever it was doing.
//
// A backup is a complete data directory as of one moment. It is named
// beanfield-YYYYMMDDThhmmssZ, by UTC; to restore it, start a server on a copy of
// it. One backup is made at a time, and by default the log says how it ended. Until
// then it grows in a directory partial-*. A process that is killed leaves that
// directory behind, and it may be removed. Replies wait while the data is copied. That
// takes moments if backups are on the same file system as the data, where files are
// linked. A clean stop waits for a backup, within its time limit.
//
// # The log
//
// Its levels are error (something failed), warn (something is wrong or unwise),
// notice (nothing is wrong, but an operator should know: the default), info (-V)
// and debug (-VV). An error has the key "error".
//
// # When the disk fails
//
// The first write or sync that fails ends the log of its shard: trying again could
// report success for data that is lost. The process stays up. Every command that
// concerns the shard is answered INTERNAL_ERROR, log-error in stats says why, and
// other shards go on. After a restart on a disk that works, everything that was
// acknowledged is back; what was answered INTERNAL_ERROR may or may not be. Such a
// process ends with exit code 1.
//
// A disk that is nearly full, with less than storage.min_free left, is not a
// failure: put is answered OUT_OF_MEMORY, and everything that ends a reservation
// works, since release and bury use the same reserve as deletes. When the reserve is
// used up too, they are answered INTERNAL_ERROR and the job stays reserved; deletes
// still work. Once there is enough space, everything works again.
package main
