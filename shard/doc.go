// Package shard runs a queue among many goroutines without a lock. The queue
// itself, a synchronous state machine with all the rules, is package queue below;
// package router spreads tubes over many shards.
//
// # The interleaving that matters
//
// To have operations applied, a goroutine passes a Batch to Submit. One
// compare-and-swap takes an idle shard; the caller then runs its batch in place
// and gives the shard back. If the shard is not idle, the caller leaves the batch
// in the mailbox, and the goroutine that has taken the shard will run it. So a
// command is handed to another thread only if two of them want the shard at once.
// The shard's own goroutine serves deadlines, and mailboxes that are too long for
// a connection's goroutine to work off.
//
// One interleaving could lose a batch: a submitter pushes it after the owner has
// looked into the mailbox for the last time. The owner stores "idle" first and
// looks again afterwards; the submitter pushes first and tries to take the shard
// afterwards. With both orders fixed at least one of them sees the other. The
// same argument holds for the alarm, with the timer as submitter.
//
// # A turn
//
// A turn takes all that is in the mailbox, reads the clock once, does what was due before
// that, runs the batches, does what they have made due, closes the log's open batch, and
// answers: at once if the log keeps nothing, otherwise when the log says that the turn is
// safe. Meanwhile the next turns go on. A submitter may say that it pushes the log
// (Batch.Later); then the log's goroutine is not woken for the turns that it runs. Turns
// are bounded: the queue does long operations in slices, and a goroutine that has taken
// the shard to run its own batch runs at most a few dozen other batches, and leaves the
// rest to the shard's goroutine.
//
// So a command never sees a delay, a deadline or a pause that was over when the command came,
// even after the whole process has stood still and no timer has fired. That costs one
// comparison with the next deadline. It is not a promise without bounds: one share of what is
// due (queue.Slice jobs) is done first, and if a million jobs fall due at once, commands are
// run between the shares.
//
// An answer may lack a body that is only in the log. A separate goroutine reads it
// after the turn has been committed, and then answers.
//
// What a turn pushes to a consumer of the queue service is one delivery batch, which reaches the
// consumer when the turn has been committed. If it lacks bodies, they are read first. Until it has
// been received, its consumer is pushed nothing more, so the batches keep the order of the turns.
//
// A put with a large body leaves its turn at once: the log first writes the body,
// beside all other work, which may take seconds. Then the shard's goroutine applies
// the put, in a turn like any other. Until then the id is taken, but there is no
// job.
//
// # Figures for the metrics
//
// Shards count in plain fields that belong to the goroutine that has taken the shard, so
// counting costs no atomic operation. To read the figures, a goroutine asks for a look, which
// the owner grants between two turns, without the log. One turn in thirteen is measured (time and
// number of operations); a clock read for each would cost up to one percent.
//
// # Invariants
//
//	S2  Only the goroutine that has taken the shard (Shard.take) touches its
//	    queue and the queue's clients, and appends to its log. Any goroutine
//	    may read the fields of Shard that never change, such as its log and
//	    directory: goroutines that have not taken the shard read bodies from
//	    the log, and tell the directory which ids have ended.
//
// How B2 (package queue) is kept: before Submit returns false, or may be about to, the batch has
// copies of what it still borrows (queue.Batch.Retain): in the mailbox, in a turn that waits for
// its log, and in one that is not finished. After Done has been told, nobody here has the batch or
// anything in it; what the log has been given to stage is the log's.
//
// The other invariants of a shard are in package queue.
//
// # Reading order
//
// shard.go, turn.go and package stack; then away.go and staging.go; pulse.go and look.go.
package shard
