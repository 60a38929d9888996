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
//	store.go    which storage it opens
//	exit.go     the codes it ends with
//	serve.go    from the first connection to the last reply
//
// # Exit codes
//
// They are beanstalkd's where it has one:
//
//	0    -v, -h, -check-config without mistakes, an orderly end
//	1    the server ended by itself, or could not end in time
//	5    a wrong flag, a mistake in the configuration, something not built yet
//	32   the user to become could not be looked up
//	33   there is no such user
//	34   the user could not be become
//	111  an address that cannot be bound or inherited
//	128+n  a second SIGTERM or SIGINT (signal n) cut the orderly end short
//
// Nothing is touched, no socket and no file, before flags and configuration
// are known to be right.
package main
