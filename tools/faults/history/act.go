package history

import (
	"fmt"
	"time"
)

// A Moment is a time since the ledger was begun, by the clock of the clients' process. Clients that
// talk to several nodes are in one process, so moments can be compared.
type Moment = time.Duration

// Never is when an answer came that did not come.
const Never Moment = -1

// A Kind is what a client asked for.
type Kind uint8

const (
	Put Kind = iota
	Reserve
	Touch
	Delete
	Release
	Bury
	Kick // of one job, by its id
)

var kinds = [...]string{"put", "reserve", "touch", "delete", "release", "bury", "kick-job"}

func (k Kind) String() string { return kinds[k] }

// An Outcome is what a client knows of what it asked for.
type Outcome uint8

const (
	Unknown Outcome = iota // the answer is lost, or says that the server does not know
	Done
	Refused
)

var outcomes = [...]string{"not known", "done", "refused"}

func (o Outcome) String() string { return outcomes[o] }

// An Act is a command of a connection about a job, with its answer.
type Act struct {
	Conn     int
	Kind     Kind
	Outcome  Outcome
	Sent     Moment // before the first byte of it was written
	Received Moment // after the last byte of the answer was read; Never: it was not
	ID       uint64 // 0 for a put without an answer
}

// ends tells whether a holder gives its job up by it, if it is done.
func (a *Act) ends() bool { return a.Kind == Delete || a.Kind == Release || a.Kind == Bury }

func (a *Act) String() string {
	answered := "no answer"
	if a.Received != Never {
		answered = fmt.Sprintf("answered at %.4f", a.Received.Seconds())
	}
	return fmt.Sprintf("%s of job %d by connection %d: sent at %.4f, %s, %v", a.Kind, a.ID, a.Conn, a.Sent.Seconds(),
		answered, a.Outcome)
}

// A Job is a put, and all that was done about what it made.
type Job struct {
	Token uint64 // in its body, so that it is known whatever its id
	Tube  string
	TTR   time.Duration
	Put   Act
	Acts  []Act // in the order in which they ended, the put not among them

	Found []Found // at the end
}

// Found is a job that was there at the end.
type Found struct {
	ID    uint64
	State string // as stats-job has it; "" if it was only taken out
}

// A Span is a time in which a connection's server has answered, with this word.
type Span struct {
	Sent, Received Moment
	Word           string
}

// A Conn is a connection of a client that a node serves.
type Conn struct {
	ID      int
	Node    string
	Client  int
	Answers []Span
}
