// Package tube models the answers of one tube, for a check with porcupine: is there an order of the clients'
// requests, each at some moment between request and answer, in which every answer is right?
//
// All jobs have one priority, no delay, and a TTR longer than the history, so the job with the lowest
// id is reserved. A request without an answer may have taken effect at any time since, or never. When a
// connection ends, its jobs go back at some moment after its last answer, because its server may have been
// replaced without its knowledge.
//
//	FR9  There is an order of the requests to a tube that explains all answers.
//
// A history ends with a drain: when all earlier connections have ended, all jobs are reserved and deleted.
package tube
