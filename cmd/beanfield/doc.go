// Command beanfield is the work queue server as a process: flags, configuration,
// sockets, signals, start and stop in order. It holds no logic of the queue.
//
// # Where to start reading
//
// run.go is the life of the process from top to bottom. What it needs comes
// from one file for each noun:
//
//	flags.go    the command line, read as beanstalkd reads it
//	config.go   the settings, and flags over file over defaults
//	setting.go  the table of all settings: key, unit, what is allowed
//	value.go    what a TOML value is, and what a setting makes of it
//	file.go     the TOML file, walked against that table
//	lines.go    the line on which a key of the file stands
//	mistake.go  what is wrong with flags or file, all of it at once
//	check.go    what -check-config prints
//	address.go  an address to listen on
//	listen.go   sockets bound by this process
//	systemd.go  sockets inherited from systemd, and telling it how we are
//	user.go     becoming another user
//	signals.go  what the process does about its signals
//	log.go      how it logs
//	store.go    which storage it opens, and with which directory
//	recovery.go from opening it to the last job that is back
//	backup.go   copies of the data while the server runs
//	exit.go     the codes it ends with
//	serve.go    from the first connection to the last reply
//
// # Exit codes
//
// They are beanstalkd's where it has one:
//
//	0    -v, -h, -check-config without mistakes, an orderly end
//	1    the server ended by itself, or could not end in time
//	5    a wrong flag, a mistake in the configuration
//	10   a data directory that is missing, somebody else's, or in use
//	32   the user to become could not be looked up
//	33   there is no such user
//	34   the user could not be become
//	111  an address that cannot be bound or inherited
//	128+n  a second SIGTERM or SIGINT (signal n) cut the orderly end short
//
// Nothing is touched, no socket and no file, before flags and configuration
// are known to be right. That there is a data directory, and a user to become,
// is part of that: -check-config says it too.
//
// # The start
//
// Sockets are bound first, since that may need root; then the process becomes
// its user, so that the data belong to that user; then it opens the store, which
// puts the jobs back; only then it serves, and says READY=1 to systemd. Clients
// that connect meanwhile wait. A recovery of more than a second is worth a
// warning, and so is then what storage and router tell of their progress every
// second; systemd is asked for more time. SIGTERM ends it at once, with 0: it is
// as safe against that as against a kill.
//
// # Signals
//
//	SIGTERM, SIGINT  end in order: flush replies, sync and close the logs
//	SIGUSR1          drain mode: no more jobs are accepted
//	SIGUSR2          a backup, into storage.backup_path
//
// A backup is a complete data directory, beanfield-YYYYMMDDThhmmssZ by the clock
// of UTC, of one moment; to restore it, start a server on a copy of it. One is
// made at a time, and the log says, visibly by default, how it ended. Until then
// it grows in a directory partial-*, which a killed process leaves behind, and
// which may be removed. Replies wait while the data is copied: that is moments
// if backups are on the data's file system, where files are linked. An orderly
// end waits for the backup, within its limit.
//
// # When the disk fails
//
// The first write or sync of a shard's log that fails ends this log: to try again
// could report success for what is lost. The process stays. Whatever concerns
// that shard is answered INTERNAL_ERROR, log-error in stats tells why, and other
// shards go on. After a restart on a disk that works, all that was acknowledged
// is back; what was answered INTERNAL_ERROR may be or not. The end of such a
// process has exit code 1.
//
// A disk that is nearly full, with less than storage.min_free left, is no
// failure: put is answered OUT_OF_MEMORY, and all that ends a job's reservation
// works: release and bury use the reserve that deletes use. When that is used up
// too, they are answered INTERNAL_ERROR with the job still reserved. Deletes work,
// and with space everything does again.
package main
