// Package command has the subcommands of beanfield: what people do from a shell with a server or a data directory.
//
// # Where to start reading
//
// commands.txt lists all commands: names, arguments, help and examples. table.go reads it, and gives each command
// its action, whose fields are the flags (flags.go). Each command's -h, the completions, the manual page and the
// list in beanfield -h are made from this table. command.go runs a command. Commands talk to a server through
// package client (server.go). A new command needs a section of commands.txt and a row of actions in table.go; tests
// are conversations (testdata; talk in kit_test.go).
//
//	jobs put list      single jobs; putting.go puts many and prints their ids
//	sweep taker        purge and move, which take the jobs of a tube in shares
//	job                jobs as lines of JSON, and the export of them
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
// server.go also words refusals. A server hides tubes from clients without a right there. So the message often says
// both, that something is not there or that a right is missing, and names the right.
//
// Standard error gets what goes wrong. Standard output gets results only, so that it can
// be piped; with -json it is JSON.
//
// # Invariants
//
//	U1  Any beanstalkd will do: a command uses only verbs of beanstalkd 1.12, unless it has asked the server
//	    for its capabilities and found others. Only list, policy and schedules cannot do without these. After
//	    a refusal, a command may also ask for policies, which beanstalkd does not know.
//	U2  A job is never lost: a command that moves or hands out a job deletes it only after
//	    the job is stored, or printed, elsewhere.
//	U3  Every wait for a server ends with a reply, or at the connection's time limit.
//	U4  Nobody has to guess what was stored: an id is printed before the next wait for the server. A command
//	    that is interrupted, or whose output is closed, says how far it has come before it ends. After kill -9,
//	    the only ids missing are those whose replies it had not read.
package command
