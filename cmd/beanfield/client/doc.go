// Package client is a small client of the beanstalk protocol, for the commands of
// beanfield. It speaks to any beanstalkd.
//
// address.go says where a server is, dial.go reaches it, client.go asks one question at a
// time, pipe.go many at once; reply.go is an answer, document.go what stats replies are made
// of.
//
// # Invariants
//
//	A1  Replies come in the order of the commands.
//	A2  No command has a line end within it: a name from a command line cannot become a
//	    second command.
//	A3  Nothing waits for a server longer than Options.Timeout without a byte of progress,
//	    except a reserve, which may wait as long as it asks the server to.
package client
