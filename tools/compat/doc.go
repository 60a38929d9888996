// Command compat compares beanfield with beanstalkd, reply by reply.
//
// It starts both servers on free ports of 127.0.0.1, sends each the same bytes over the same number
// of connections, and compares every reply of the subject (beanfield) with that of the reference
// (Debian's beanstalkd). It does so for two inputs:
//
//   - a table of odd lines and short scripts: every command's odd forms, the limits of the line
//     reader, the life of jobs and tubes, timers, closing, restarts. Where beanfield differs on purpose, the
//     table says why, and what it must answer instead, so the difference itself is tested;
//   - random commands of several connections, from a generator that repeats a run when given its
//     seed. With -reworded the subject is sent many of them in other words that only it
//     understands, such as a delete-batch of one job (reworded.go).
//
// # How it stays deterministic
//
// One connection acts at a time. After its commands, every reply that is due on
// any connection is read before the next step. No sleep guesses which replies are due. A command
// that answers at once has its reply awaited. For blocked reserves, the reference is asked (stats,
// on a control connection) how many clients still wait. The others have been served, and only their
// replies are awaited, first from the reference and then, with a generous deadline, from the
// subject. The end of a connection is awaited like a reply.
//
// # What tells of the machine alone
//
// A reference that is late for a timer, and a cluster that has given its shards to another owner and so has cut its
// clients, tell nothing of the subject: such a case or seed is done again, three times at most, and the tool says so
// (fair.go). The last time counts as it is.
//
// # The forms of strings in stats
//
// beanfield can write strings in stats in three forms, and beanstalkd 1.12 in one.
// form.go converts the reference's form into the subject's, and the two must then be equal byte for
// byte. Seeds take the forms in turn. The table's cases about stats and names run in each form, and
// once without any configuration.
//
// # What is not compared literally
//
// normalise.go lists the few values that are random or depend on time, each with its reason and
// with the check that replaces equality. generator.go lists what random runs avoid, each with its
// reason.
//
// # Reading the source
//
// reply.go is one answer, side.go one server with its connections; form.go has the subject's
// configurations; pair.go keeps two servers in lockstep; random.go runs a seed with generator.go
// and verbs.go. The table is in the directory cases, whose README explains its format: cases.go
// reads it, table.go runs it, script.go carries out the instructions. report.go prints what was
// found.
package main
