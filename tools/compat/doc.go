// Command compat compares beanfield with beanstalkd, reply by reply.
//
// It starts both servers on free ports of 127.0.0.1, sends each the same bytes
// over the same number of connections, and compares every reply of the subject
// (beanfield) with the one of the reference (Debian's beanstalkd). Two things are
// compared:
//
//   - a table of odd lines and short scripts: every command's odd forms, the
//     limits of the line reader, the life of jobs and tubes, timers, closing.
//     Where beanfield differs on purpose, the line says why and what it must answer
//     instead, so the difference itself is asserted;
//   - random commands of several connections, from a generator that repeats a run
//     when given its seed. With -reworded the subject is told many of them in words that
//     only it has, such as a delete-batch of one job (reworded.go).
//
// # How it stays deterministic
//
// One connection acts at a time. After its commands, every reply that is due on
// any connection is read before the next step. Which replies are due is not
// guessed with sleeps: a command that answers at once has its reply awaited, and
// for blocked reserves the reference is asked (stats, on a control connection)
// how many clients still wait; the missing ones have been served, and only these
// are awaited, first from the reference and then, with a generous deadline, from
// the subject. The end of a connection is awaited as a reply of its own.
//
// # The forms of strings in stats
//
// beanfield can write strings in stats in three forms, and beanstalkd 1.12 in one.
// form.go turns the reference's form into the subject's, which must then be equal
// byte for byte. Seeds take the forms in turn; the table's cases about stats and
// names are compared in each of them, and once without any configuration.
//
// # What is not compared literally
//
// normalise.go lists the few values that are random or bound to time, each with
// its reason and with the check that takes the place of equality. generator.go
// lists what random runs avoid, each with its reason.
//
// # Reading the source
//
// reply.go is one answer, side.go one server with its connections; form.go has the subject's
// configurations; pair.go keeps two servers in lockstep; random.go runs a seed with
// generator.go. The table is in the directory cases, whose README tells how it is
// written: cases.go reads it, table.go runs it, script.go plays the instructions.
// report.go prints what was found.
package main
