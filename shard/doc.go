// Package shard runs a queue among many goroutines without a lock. The queue
// itself, a synchronous machine with all rules, is package queue below; package
// router spreads tubes over many shards.
//
// # The interleaving that matters
//
// Whoever wants operations applied brings a Batch to Submit. One
// compare-and-swap takes an idle shard; the caller then runs its batch in place,
// on its own goroutine, and gives the shard back. If the shard is not idle, the
// caller leaves the batch in the mailbox, and whoever has the shard will come to
// it. So a command costs no hand-over between threads unless two of them really
// meet. The shard's own goroutine serves deadlines, and mailboxes that have
// become too long for a connection to work off on its way.
//
// One interleaving could lose a batch: a submitter pushes it after the owner has
// looked into the mailbox for the last time. The owner stores "idle" first and
// looks again afterwards; the submitter pushes first and tries to take the shard
// afterwards. With both orders fixed at least one of them sees the other. The
// same argument holds for the alarm, with the timer as submitter.
//
// # A turn
//
// A turn takes all that is in the mailbox, reads the clock once, runs the
// batches, does what is due, closes the log's open batch, and answers: at once
// if the log keeps nothing, otherwise when the log says that the turn is safe.
// Meanwhile the next turns go on. Turns are bounded: the queue does long
// operations in slices, and somebody who runs the shard for the sake of its own
// batch runs a few dozen batches of others at most, and leaves the rest to the
// shard's goroutine.
//
// An answer may lack a body that is in the log only. A goroutine of its own
// reads it after the turn has been committed, and then answers.
//
// A put with a large body leaves its turn at once: the log is to write the body
// first, beside everything else, which may take seconds. Then the shard's
// goroutine applies the put, in a turn like any other. Until then the id is
// taken, but there is no job.
//
// # Invariants
//
//	S2  Only the goroutine that has taken the shard (Shard.take) touches its
//	    queue and the queue's clients, and appends to its log. The fields of
//	    Shard that never change, its log and directory among them, are read
//	    by anybody: bodies are read from the log, and ended ids are told to
//	    the directory, by goroutines that have not taken the shard.
//
// The other invariants of a shard stand in package queue.
//
// # Reading order
//
// shard.go, turn.go, mailbox.go; then away.go and staging.go.
package shard
