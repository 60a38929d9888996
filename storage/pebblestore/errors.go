package pebblestore

import (
	"errors"
	"path/filepath"

	"beanfield/storage"
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

// DamagedManifest tells whether the text of a manifest is not what was written.
func DamagedManifest(text []byte) bool {
	_, err := format.DecodeManifest("", text)
	return errors.Is(err, storage.ErrCorrupt)
}

// HistoryName is that of a file that a server may keep beside the store.
const HistoryName = directory.HistoryName
