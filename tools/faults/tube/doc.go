// Package tube says what one tube may answer, for a check with porcupine: whether there is an order of
// what clients asked, each at some moment between question and answer, in which every answer
// is right.
//
// All jobs have one priority, no delay, and a TTR longer than the history, so the job with the lowest
// id is reserved. What was asked and not answered may have happened at any time since, or never. A connection
// that ends gives its jobs back: at some moment after its last answer, because its server may have been
// replaced without its knowledge.
//
//	FR9  There is an order of what was asked of a tube that explains all answers.
//
// A history ends with a drain: all is reserved and deleted when every connection before has ended.
package tube
