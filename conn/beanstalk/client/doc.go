// Package client is a small client of the beanstalk protocol: for the commands of beanfield,
// for the tools, and for tests of packages above it. It speaks to any beanstalkd. The server
// does not use it; it stands below the front ends, which a test of theirs may come through. What
// programs outside this module use, conn/client, stands on it.
//
// address.go reads a server's address and dial.go connects to it. client.go sends one
// command at a time, pipe.go many at once. reply.go reads a reply, and document.go reads
// the YAML in replies of stats.
//
// # Invariants
//
//	CL1  Replies come in the order of the commands.
//	CL2  No command has a line end within it: a name from a command line cannot become a
//	     second command. Only Send and Exchange send whatever they are given.
//	CL3  Nothing waits longer than Options.Timeout without a byte of progress, except a
//	     reserve, which may wait for as long as the client has asked the server to wait.
package client
