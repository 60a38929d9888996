package protocol

import "beanfield/shard/queue"

// Word is a reply without arguments.
type Word string

// The protocol's words.
const (
	BadFormat      Word = "BAD_FORMAT\r\n"
	UnknownCommand Word = "UNKNOWN_COMMAND\r\n"
	OutOfMemory    Word = "OUT_OF_MEMORY\r\n"
	InternalError  Word = "INTERNAL_ERROR\r\n"
	Draining       Word = "DRAINING\r\n"
	ExpectedCRLF   Word = "EXPECTED_CRLF\r\n"
	JobTooBig      Word = "JOB_TOO_BIG\r\n"
	DeadlineSoon   Word = "DEADLINE_SOON\r\n"
	TimedOut       Word = "TIMED_OUT\r\n"
	NotFound       Word = "NOT_FOUND\r\n"
	NotIgnored     Word = "NOT_IGNORED\r\n"
	NotTogether    Word = "NOT_TOGETHER\r\n"
)

// Failures is the one table from statuses to words, for everything but OK.
// More and Empty never leave the router, Waiting is not an answer yet.
var Failures = [...]Word{
	queue.NotFound:     NotFound,
	queue.TimedOut:     TimedOut,
	queue.DeadlineSoon: DeadlineSoon,
	queue.NoRoom:       OutOfMemory,
	queue.Refused:      Draining,
	queue.Failed:       InternalError,
	queue.Denied:       NotFound,
}
