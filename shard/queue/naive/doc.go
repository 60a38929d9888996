// Package naive is the queue once more, for tests: what beanstalkd is, and what the queue
// service adds, as one would explain them. It is as simple as possible: jobs, clients and
// tubes are in slices, and everything is found by looking at all of them. There are no
// shards, no heaps, no turns, no goroutines. It shares no code with package queue, only the
// words of package policy: what may be said of tubes.
//
// Whoever compares something with it does the same with both, an operation at a time, and
// looks at both. Now is the moment of the operation. Due says when something happens by
// itself, and Tick lets it happen. Tick also ends a turn: consumers that have room are fed.
// Many shards are still one queue here; a client that leaves them one after the other says
// so (Detach).
//
// The log is what a restart would find: Job.Logged is a job as it was last logged, and Wrote,
// WroteQueue and WroteKey hear of every record. Restore and RestoreKeys make a queue of such records.
//
// Where no order is promised, and several are right, the model has a hook to find out which
// one was taken: Slot and ViewSlot.
//
// Package queue compares its states with it after every step (shard/queue/machine_test.go),
// package router its sessions over several shards (router/synchronous_test.go), and what a
// restart finds on disk (router/restart_model_test.go).
package naive
