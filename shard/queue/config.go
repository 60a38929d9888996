package queue

import (
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// Directory is told of tubes and jobs that come and go, so that the router can
// find them. The goroutine that runs the shard calls its methods. JobGone, for a
// deleted job, is also called by the goroutine that answers a turn, which may be
// another one.
type Directory interface {
	TubeBorn(name string)
	TubeGone(name string)
	// JobBorn is asked about every put: the answer is the job's id, allotted
	// now if the put came without one, or false if no jobs are taken any more.
	JobBorn(id uint64) (uint64, bool)
	JobGone(id uint64)
	// Spare allots an id that no job gets, also while no jobs are taken.
	Spare() uint64
	// JobsLeave is told when the log has it that there are jobs for other shards (Load).
	JobsLeave()
}

// Config is what a State is made with.
type Config struct {
	Directory Directory
	Log       storage.Log
	// Durable is false when the log keeps nothing, so that describing each
	// change to it can be left out.
	Durable bool
	// Budget is how many bytes of bodies are kept in memory, if the log can
	// give them back; 0 for no limit.
	Budget int64
	// Pinned names the tube that exists even without a reason, if this is
	// its shard.
	Pinned string
	// Ended appends the clients whose wait in this shard may have ended
	// elsewhere since it was last called; nil if that cannot be.
	Ended func([]*Client) []*Client
	// Many is how many tubes a client may watch here before it is one of many
	// tubes (manytubes.go); 0 for the default, which only tests change.
	Many int
	// PolicyFor is the policy for a tube, nil for none; nil if there are no policies. SetPolicies
	// brings others.
	PolicyFor func(tube string) *policy.Policy
	// Local says whether a tube is in this shard; nil if all are.
	Local func(tube string) bool
	// Share bounds the long work of one turn (share.go); 0 for the default.
	Share int
	// LeastPurge is how many jobs a purge must end to end them at once (bulk_grave.go), and PurgeShare what of a
	// turn is for emptying graves; 0 for the defaults. Only tests change these: with a negative share no turn begins
	// for that, and others have one less than its amount for it.
	LeastPurge, PurgeShare int
	// Secret are numbers that nobody outside knows, so that nobody can choose keys that all stand in
	// one place of the table of keys.
	Secret [3]uint64
	// Epoch is the wall clock, in nanoseconds since 1970, at moment 0 of the
	// clock that Apply and Tick are given.
	Epoch int64
}
