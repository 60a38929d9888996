package pebblestore

import (
	"path/filepath"

	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/format"
)

// Errors that callers tell apart with errors.Is.
var (
	ErrInUse      = directory.ErrInUse
	ErrForeign    = directory.ErrForeign
	ErrVersion    = format.ErrVersion
	ErrUnfinished = directory.ErrUnfinished
)

// ClusterDir is where a node of a cluster keeps what its store does not have.
func ClusterDir(dir string) string { return filepath.Join(dir, directory.ClusterName) }

// HistoryName is that of a file that a server may keep beside the store.
const HistoryName = directory.HistoryName
