// Package committer carries out the commits of one shard, in groups: every turn that ends while a
// group is applied goes into the next group, so one sync serves them all.
//
//	committer.go  who applies a group, and when its acks are told
//	group.go      the turns of one group
//	freeze.go     how a checkpoint stops the committer
//	failure.go    who tells acks after a failure
package committer
