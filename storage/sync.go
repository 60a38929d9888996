package storage

// SyncMode says when a log is forced to the disk.
type SyncMode uint8

// The three modes. A power cut, and in Interval and Never also a kill of the process,
// may lose what has not been synced yet.
const (
	Always   SyncMode = iota // before a commit is acknowledged
	Interval                 // every SyncEvery, by a timer
	Never                    // when the operating system likes
)
