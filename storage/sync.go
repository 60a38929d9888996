package storage

// SyncMode says when a log is forced to the disk.
type SyncMode uint8

// The three modes. A power cut, and in Interval and Never also the death of the
// process, may take what has not been forced yet.
const (
	Always   SyncMode = iota // before a commit is acknowledged
	Interval                 // every SyncEvery, by a timer
	Never                    // when the operating system likes
)
