package beanstalk

import (
	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// The protocol's commands are in one table. A new one is a row of it, and a function if neither
// runInShard nor a reply of package protocol does. Parser, rules, statistics, metrics, audit log
// and the log of slow commands follow from the row, and a test holds the documentation to it.

// command is a row of the table.
type command struct {
	text string // what a line begins with, with the space that belongs to it
	args protocol.Args
	name string // text without the space

	about   about
	needs   access.Rights // on what it is about, if there are rules
	refused protocol.Word // the answer without that right; "" if rules never refuse it
	login   bool          // it exists only where clients may log in

	// run does what the command does. It reports false if the command has to be tried again,
	// because those before it must be answered first.
	run func(*Conn, *protocol.Command) bool
	// begin does so instead for a command with a body, of which data may have a part. It returns
	// what is left of data.
	begin func(c *Conn, cmd *protocol.Command, data []byte) (rest []byte, ok bool)
	// whole is what a command with beginWhole does with its body.
	whole *whole
	// answer words the end of a session's call (callSession).
	answer func(*Conn)

	// For those of which one shard does all: its operation, and the answer when it is done,
	// a word, a reply, or what say says.
	op    queue.Kind
	done  protocol.Word
	reply protocol.Reply
	say   func(*Conn, *run, *queue.Op)

	role      role     // what it makes of a client, for the counters in stats
	uncounted bool     // stats have no line for it
	added     bool     // beanstalkd does not have it
	audit     auditing // when the audit log hears that it was carried out
}

// whole is what a command with a body that is no job's is, in its row.
type whole struct {
	most    int // how long the body may be
	tooLong protocol.Word
	options []protocol.Option[incoming]
	take    func(c *Conn, p *incoming, body []byte) // body is borrowed
}

// about is what a command is about.
type about uint8

const (
	aboutNothing about = iota // that rules protect, or about tubes that are hidden instead
	aboutJob                  // that the line names: its shard judges whether it may be
	aboutTube                 // that the line names
	aboutUsed                 // the tube in use
	aboutAll                  // tubes, or jobs of any tubes: the right on one of them is enough
	aboutHeld                 // likewise, or to hold a job
	aboutServer               // as a whole: the right on every tube is needed
)

// anyRight is needed by commands that any right allows.
const anyRight access.Rights = 1 << 15

type role uint8

const (
	producer role = iota + 1
	worker
)

type auditing uint8

const (
	auditAlways  auditing = iota + 1
	auditCounted          // if the operation says that it did something to jobs of others
)

// mostCommands is how many there may be, with the number 0, which is none.
const mostCommands = 64

var (
	// commands are the rows by their verb. It is filled by init, because what the rows run uses it.
	commands [mostCommands]command
	verbs    []protocol.Verb // in the order of stats
	grammar  protocol.Grammar

	// judged are the rights that an authorizer asks for, by operation.
	judged = [queue.Service + 1]access.Rights{queue.Totals: access.Stats}

	// The verbs that other code knows by name.
	verbPut, verbReserve, verbSeveral, verbUse, verbAuth protocol.Verb
)
