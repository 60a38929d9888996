package client

import (
	"errors"
	"fmt"

	wire "beanfield/conn/beanstalk/client"
)

// Errors to compare with, by errors.Is. The first ones are answers of the server: the command has
// done nothing, unless it is ErrInternal, and the connection goes on.
var (
	// or not this connection's, or no right to it
	ErrNotFound     = errors.New("not found")
	ErrTimedOut     = errors.New("no job became ready in time")                     // of a reserve
	ErrDeadlineSoon = errors.New("a job that is held has less than a second left")  // of a reserve, instead of waiting
	ErrTooBig       = errors.New("the job is larger than the server allows")        // of a put
	ErrDraining     = errors.New("the server takes no new jobs")                    // of a put
	ErrNoRoom       = errors.New("the server has no room")                          // of a put
	ErrExists       = errors.New("a job has this key")                              // of a put; ExistsError tells which
	ErrTogether     = errors.New("jobs of these tubes cannot be put together")      // of PutTogether
	ErrRefused      = errors.New("the server does not accept this, or not from us") // wrong, or no right
	// a beanstalkd, or an older beanfield
	ErrUnsupported = errors.New("the server does not have this command")
	ErrInternal    = errors.New("the server has failed") // its disk, say; what was done is not known

	// ErrInvalid: what the call was given is wrong. Nothing was sent.
	ErrInvalid = errors.New("invalid")
	// ErrLost: the connection was lost in the middle of a call, and with it all jobs that it held:
	// others get them. Whether the server has done what it was asked to is not known. It wraps the
	// reason, which is the context's error if that has ended the call.
	ErrLost = errors.New("the connection was lost")
	// ErrNotSent: a call ended before it had come to this command.
	ErrNotSent = errors.New("not sent")
	// ErrClosed: the Conn, Pool or Worker has been closed before.
	ErrClosed = errors.New("closed")
	// ErrTaken: the job has been deleted, released or buried by this Job before.
	ErrTaken = errors.New("the job has been dealt with")
)

// meanings are the errors behind the server's words.
var meanings = map[string]error{
	"NOT_FOUND":       ErrNotFound,
	"TIMED_OUT":       ErrTimedOut,
	"DEADLINE_SOON":   ErrDeadlineSoon,
	"JOB_TOO_BIG":     ErrTooBig,
	"DRAINING":        ErrDraining,
	"OUT_OF_MEMORY":   ErrNoRoom,
	"NOT_TOGETHER":    ErrTogether,
	"BAD_FORMAT":      ErrRefused,
	"EXPECTED_CRLF":   ErrRefused,
	"UNKNOWN_COMMAND": ErrUnsupported,
	"INTERNAL_ERROR":  ErrInternal,
}

// A Refusal is an answer that does not mean success, for errors.As. It wraps the error above that
// it means, if there is one.
type Refusal struct{ Word string } // such as NOT_FOUND

func (e *Refusal) Error() string {
	if meaning := meanings[e.Word]; meaning != nil {
		return meaning.Error() + " (" + e.Word + ")"
	}
	return "the server answers " + e.Word
}

func (e *Refusal) Unwrap() error { return meanings[e.Word] }

// ExistsError says that a put's key is taken. It is ErrExists.
type ExistsError struct{ ID uint64 } // of the job that has the key, or had it

func (e *ExistsError) Error() string        { return fmt.Sprintf("job %d has this key", e.ID) }
func (e *ExistsError) Is(target error) bool { return target == ErrExists }

// PanicError is a panic of a Worker's handler.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the handler panics: %v\n%s", e.Value, e.Stack)
}

// Unwrap is the value, if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// translated is an error of the connection in this package's words.
func translated(err error) error {
	var no wire.Refused
	if errors.As(err, &no) {
		return &Refusal{no.Word}
	}
	return err
}

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }
