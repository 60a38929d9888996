package beanstalk

import (
	"slices"
	"strings"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// command is a row of the table (table.go), which says all that is said about a command. What people are told of it
// is read here too: how its line is written, who may run it, and how it is answered.
type command struct {
	// What carries it out: one shard, if there is none of the others. Then op is its operation, and the first of the
	// answers says how it is answered when it is done.
	op queue.Kind
	// What follows from the words below.
	hasBody bool
	on      on // what the right is needed on
	role    role
	says    says
	needs   access.Rights // if there are rules
	head    string        // of the answer when it is done: all of it, or its word and a space

	// run reports false if the command has to be tried again, because those before it must be answered first.
	run func(*Conn, *protocol.Command) bool
	// alone does what the session does, or all shards, when those before it have been answered.
	alone func(*Conn, *protocol.Command)
	// body says what becomes of a body that is no job's.
	body *body
	// answer words the end of a session's call (callSession).
	answer func(*Conn)

	login     bool          // it exists only where clients may log in
	apart     bool          // the word ends before its space
	uncounted bool          // stats have no line for it
	added     bool          // beanstalkd does not have it
	audit     auditing      // when the audit log hears that it was carried out
	refused   protocol.Word // the answer without the right; "" if rules never refuse it

	line    string // as people write it
	right   string // the right that it needs, on what, and what happens without it
	about   string
	answers string // with commas in between; those to every command, and to those who lack the right, are left out
	page    string // of the manual, that tells more
	options []protocol.Told

	name string // what follows from the line, too
	args protocol.Args
}

// on is what a command needs a right on.
type on uint8

const (
	onNothing on = iota // that rules protect, or on tubes that are hidden instead
	onJob               // that the line names: its shard judges whether it may be
	onTube              // that the line names
	onUsed              // the tube in use
	onAny               // tubes, or jobs of any tubes: the right on one of them is enough
	onHeld              // likewise, or to hold a job
	onServer            // as a whole: the right on every tube is needed
)

// places are what rows call them.
var places = []string{onJob: "the job's tube", onTube: "the tube", onUsed: "the tube in use", onAny: "some tube",
	onHeld: "some tube, or a job in hand", onServer: "every tube"}

// anyRight is needed by commands that any right allows.
const anyRight access.Rights = 1 << 15

// role is what a command makes of a client, for the counters in stats.
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

// says is what stands behind the word of an answer.
type says uint8

const (
	saysWord says = iota
	saysID
	saysCount
	saysJob
	saysOther // what answers depends on the operation
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
	verbPut, verbReserve, verbUse, verbAuth protocol.Verb
)

func init() {
	ends = [callClose + 1]func(*Conn){
		callRun: (*Conn).answerRun, callSession: (*Conn).answerSession, callReserve: (*Conn).answerReserve,
		callEndWait: (*Conn).answerReserve,
		callRefresh: (*Conn).decideWait, callReview: (*Conn).reviewed, callSuspend: (*Conn).suspended,
		callReviewWait: (*Conn).resume,
		callLogin:      (*Conn).loggedIn, callSift: (*Conn).siftOn, callHolders: (*Conn).sayListed,
	}
	rows := slices.Concat(original, added)
	for i := range rows {
		c, v := &rows[i], protocol.Verb(i+1)
		if i >= len(original) {
			c.added, c.uncounted = true, true
		}
		c.readLine()
		c.readRight()
		c.readAnswer()
		if c.on == onJob || c.op == queue.List {
			judged[c.op] = c.needs
		}
		commands[v] = *c
		verbs = append(verbs, v)
		grammar.Add(v, c.name, c.args, c.added)
	}
	verbPut, verbReserve, verbUse, verbAuth = verbOf("put"), verbOf("reserve"), verbOf("use"), verbOf("auth")
}

// readLine finds the arguments of the line.
func (c *command) readLine() {
	if c.body != nil {
		c.options = protocol.Describe(c.body.options)
	}
	line, options := strings.CutSuffix(c.line, " [name=value ...]")
	words := strings.Fields(line)
	c.name, c.hasBody = words[0], strings.HasSuffix(line, "<bytes>")
	c.args = protocol.ArgsOf(words[1:], c.apart, c.added, options || c.body != nil)
}

// readRight finds the right that rules ask for.
func (c *command) readRight() {
	first, rest, _ := strings.Cut(c.right, "; ")
	right, place, _ := strings.Cut(first, " on ")
	if c.needs = anyRight; right != "any right" {
		c.needs, _ = access.ParseRight(right)
	}
	if c.on = on(max(0, slices.Index(places, place))); c.args[0] == protocol.ID {
		c.on = onJob
	}
	for note := range strings.SplitSeq(rest, "; ") {
		if word, ok := strings.CutPrefix(note, "without it "); ok && !strings.Contains(word, " ") {
			c.refused = protocol.Word(word + protocol.CRLF)
		}
	}
}

// readAnswer finds out how the command is answered when it is done.
func (c *command) readAnswer() {
	first, _, _ := strings.Cut(c.answers, ", ")
	word, more, _ := strings.Cut(first, " ")
	c.head, c.says = word+" ", saysOther
	switch more {
	case "":
		c.head, c.says = word+protocol.CRLF, saysWord
	case "<id>":
		c.says = saysID
	case "<count>":
		c.says = saysCount
	case "<id> <bytes>":
		c.says = saysJob
	}
	switch c.op {
	case queue.Put:
		c.role = producer
	case queue.ReserveSeveral:
		c.says = saysOther
		fallthrough
	case queue.Reserve, queue.ReserveJob:
		c.role = worker
	}
}

// verbOf is the verb of a command, or 0.
func verbOf(name string) protocol.Verb {
	for _, v := range verbs {
		if commands[v].name == name {
			return v
		}
	}
	return 0
}
