package beanstalk

import "beanfield/shard/queue"

// word is a reply without arguments.
type word string

// The protocol's words.
const (
	badFormat      word = "BAD_FORMAT\r\n"
	unknownCommand word = "UNKNOWN_COMMAND\r\n"
	outOfMemory    word = "OUT_OF_MEMORY\r\n"
	internalError  word = "INTERNAL_ERROR\r\n"
	draining       word = "DRAINING\r\n"
	expectedCRLF   word = "EXPECTED_CRLF\r\n"
	jobTooBig      word = "JOB_TOO_BIG\r\n"
	deadlineSoon   word = "DEADLINE_SOON\r\n"
	timedOut       word = "TIMED_OUT\r\n"
	notFound       word = "NOT_FOUND\r\n"
	notIgnored     word = "NOT_IGNORED\r\n"
	deleted        word = "DELETED\r\n"
	released       word = "RELEASED\r\n"
	buried         word = "BURIED\r\n"
	touched        word = "TOUCHED\r\n"
	kicked         word = "KICKED\r\n"
	paused         word = "PAUSED\r\n"
)

// failures is the one table from statuses to words, for everything but OK.
// More and Empty never leave the router, Waiting is not an answer yet.
var failures = [...]word{
	queue.NotFound:     notFound,
	queue.TimedOut:     timedOut,
	queue.DeadlineSoon: deadlineSoon,
	queue.NoRoom:       outOfMemory,
	queue.Refused:      draining,
	queue.Failed:       internalError,
	queue.Denied:       notFound,
}

// successes are the words of the verbs that need no more than a word.
var successes = [verbCount]word{
	verbDelete:    deleted,
	verbRelease:   released,
	verbBury:      buried,
	verbTouch:     touched,
	verbKickJob:   kicked,
	verbPauseTube: paused,
}
