package storage

// A job that moves to another shard keeps its id, and for a moment the logs of two shards have a copy of
// it. It may also come back to a log in which it was before. So a log knows a copy by its key: the id, and
// above it how often the job had come to another shard by then (Route.Hops). The key of a job that has never
// left its shard is its id.
//
// No two copies ever have the same key: a job goes on only when the copy that it came from is gone for good, so
// hops only grow. Of two copies the one with more hops is the job, and the other is what it has left behind.
const (
	IDBits  = 53
	MaxHops = 1<<(64-IDBits) - 1
)

// KeyOf is the key of a copy.
func KeyOf(id uint64, hops uint32) uint64 { return id | uint64(hops)<<IDBits }

// IDOf is the job's id in the key of a copy.
func IDOf(key uint64) uint64 { return key & (1<<IDBits - 1) }

// HopsOf is how often the job had come to another shard, in the key of a copy.
func HopsOf(key uint64) uint32 { return uint32(key >> IDBits) }

// Hops is how often the job has come to another shard.
func (j *Job) Hops() uint32 {
	if j.Item == nil || j.Item.Route == nil {
		return 0
	}
	return j.Item.Route.Hops
}

// Key is the key of this copy of the job.
func (j *Job) Key() uint64 { return KeyOf(j.ID, j.Hops()) }
