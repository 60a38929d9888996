package pebblestore

import (
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

// HistoryName is that of a file that a server may keep beside the store.
const HistoryName = directory.HistoryName
