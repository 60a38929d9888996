// Package naive is the queue once more, for tests: what beanstalkd is, and what the queue
// service adds, as one would explain them. It is as simple as possible: jobs, clients and
// tubes are in slices, and everything is found by looking at all of them. There are no
// shards, no heaps, no turns, no goroutines. It shares no code with package queue.
//
// Whoever compares something with it does the same with both, an operation at a time, and
// looks at both. Now is the moment of the operation. Due says when something happens by
// itself, and Tick lets it happen. Tick also ends a turn: consumers that have room are fed.
// A queue that is many shards is still one here; who knows that a client leaves them one
// after the other says so (Detach).
//
// The log is what a restart would find: Job.Logged is a job as it was last logged, and Wrote
// and WroteQueue hear of every record. Restore makes a queue of such records.
//
// Where several orders are right, because no order is promised, the model has a hook to find
// out which one was taken: the argument of Tick, and Slot.
//
// Its users are the random machines of package queue, and the games and restarts of package
// router.
package naive
