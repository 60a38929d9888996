// Package command holds the subcommands of beanfield: what people do with a server, or with
// a data directory, from a shell.
//
// # Where to start reading
//
// commands.txt lists all commands: names, arguments, help and examples. table.go reads it, and
// says what does each: its action, whose fields are the flags (flags.go). -h, the completions, the
// manual page and the list in beanfield -h are made from this table. command.go runs a row.
// They speak to a server through package client (server.go). A new command is a section of commands.txt and a row of
// actions in table.go; tests are conversations (talk in kit_test.go).
//
//	jobs put list      single jobs; putting.go puts many and prints their ids
//	sweep taker        purge and move, which take the jobs of a tube in shares
//	job export         jobs as lines of JSON
//	stats watch bench  what a server does, also over HTTP (console)
//	policy runtime     policies and schedules that are set at run time
//	cluster data self  what needs no server, or is asked of a node on its machine
//	help               -h, the manual page and the completions
//
// # Exit codes
//
//	0  everything was done
//	1  something failed, or was done in part, or there was no right to it
//	2  wrong usage
//	3  something was not there: no such job or tube, nothing to reserve in time, or a
//	   salvage that could not read everything; or a cluster has problems
//
// server.go also says what a refusal means. A server hides tubes from clients without a right there, so the message
// often has both possibilities, and names the right.
//
// Standard error gets what goes wrong. Standard output gets results only, so that it can
// be piped; with -json it is JSON.
//
// # Invariants
//
//	U1  Any beanstalkd will do: a command uses the verbs of beanstalkd 1.12 only, unless it
//	    has asked for capabilities and the server has others. Only list cannot do without.
//	    Once it has been refused, it asks for policies, too: beanstalkd does not know that.
//	U2  A job is never lost: a command that moves or hands out a job deletes it only after
//	    the job is stored, or printed, elsewhere.
//	U3  Every wait for a server ends: with its reply, or with the connection's time limit.
//	U4  Nobody has to guess what was stored: an id is printed before the next wait for the
//	    server, and a command that is interrupted, or whose output is closed, first says how
//	    far it has come. After kill -9, only ids are missing whose replies it had not read.
package command
